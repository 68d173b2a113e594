"""LG303."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.findings import Severity
from lossguard.rules.case import Case
from lossguard.rules.meaning.reading_rows import certainty_of, is_probabilities, rows_of
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, passes


class ProbabilitiesAsLogits(Rule):
    """The output of softmax is given to a loss that applies softmax itself.

    Why it matters
        The second softmax flattens the first: a perfect prediction over C classes still costs
        log(1 + (C - 1) / e), the gradient is small everywhere, and training creeps or stalls.

    Usual causes
        A model that ends in `nn.Softmax`, as tutorials of other libraries show it; `torch.softmax` for
        the accuracy, done before the loss.

    Repair safety
        Taking the softmax out of the model changes the number, which was wrong.
    """

    code = "LG303"
    cost = Cost.DEEP
    examples = (
        breaks("F.cross_entropy", "torch.randn(8, 5).softmax(1), torch.randint(5, (8,))", "silent"),
        breaks(
            "nn.CrossEntropyLoss()",
            "torch.randn(2, 5, 4, 4).softmax(1), torch.randint(5, (2, 4, 4))",
            "silent",
        ),
        passes("F.cross_entropy", "torch.randn(8, 5), torch.randint(5, (8,))"),
        passes("F.cross_entropy", "torch.rand(8, 5), torch.randint(5, (8,))"),
        passes("F.cross_entropy", "torch.randn(8, 5).log_softmax(1), torch.randint(5, (8,))"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when every row of logits is a row of probabilities."""
        part, rows = case.input, rows_of(case.input, Meaning.LOGITS)
        if part is None or part.spec.meaning is not Meaning.LOGITS:
            return HOLDS
        if rows is None:
            return CANNOT_TELL
        if not is_probabilities(rows):
            return HOLDS
        return self.finding(
            case,
            part,
            f"{case.loss} applies log_softmax itself and needs logits; all {rows.read:,} rows read lie within "
            "[0, 1] and sum to 1",
            severity=Severity.WARNING,
            certainty=certainty_of(rows),
            cause="these are probabilities, as softmax makes them",
            repairs=[changes_values("give the logits, without softmax", "F.cross_entropy(logits, target)")],
            rows=rows.read,
        )
