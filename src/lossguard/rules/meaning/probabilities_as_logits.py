"""LG303."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.facts.facts import Maker
from lossguard.findings import Certainty, Finding, Fix, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.meaning.reading_rows import certainty_of, is_probabilities, rows_of, told_maker
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, passes

#: So many values that fill the space between 0 and 1 as far as this and never leave it are no chance any more.
_MANY, _SPREAD = 32, (0.25, 0.75)


class ProbabilitiesAsLogits(Rule):
    """The output of softmax or sigmoid is given to a loss that applies it itself.

    Why it matters
        The second softmax flattens the first: a perfect prediction over C classes still costs
        log(1 + (C - 1) / e), the gradient is small everywhere, and training creeps or stalls.

    Usual causes
        A model that ends in `nn.Softmax`, as tutorials of other libraries show it; `torch.softmax` for
        the accuracy, done before the loss.

    Fix safety
        Taking the softmax out of the model changes the number, which was wrong.
    """

    code = "LG303"
    seek = "probabilities"
    cost = Cost.DEEP
    examples = (
        breaks("F.cross_entropy", "torch.randn(8, 5).softmax(1), torch.randint(5, (8,))", "silent"),
        breaks(
            "nn.CrossEntropyLoss()",
            "torch.randn(2, 5, 4, 4).softmax(1), torch.randint(5, (2, 4, 4))",
            "silent",
        ),
        breaks("F.binary_cross_entropy_with_logits", "torch.randn(40).sigmoid(), torch.ones(40)", "silent"),
        breaks(
            "F.binary_cross_entropy_with_logits",
            "torch.randn(4, requires_grad=True).sigmoid().unsqueeze(1), torch.ones(4, 1)",
            "silent",
        ),
        passes(
            "F.cross_entropy",
            "F.linear(torch.zeros(4, 3), torch.zeros(4, 3, requires_grad=True), torch.ones(4) / 4), torch.arange(4)",
        ),
        passes("F.binary_cross_entropy_with_logits", "torch.randn(40), torch.ones(40)"),
        passes("F.binary_cross_entropy_with_logits", "torch.rand(40) * 0.4 + 0.1, torch.ones(40)"),
        passes("F.binary_cross_entropy_with_logits", "nn.Linear(1, 1)(torch.rand(40, 1)), torch.ones(40, 1)"),
        passes("F.binary_cross_entropy_with_logits", "torch.zeros(40), torch.ones(40)"),
        passes("F.cross_entropy", "torch.randn(8, 5), torch.randint(5, (8,))"),
        passes("F.cross_entropy", "torch.rand(8, 5), torch.randint(5, (8,))"),
        passes("F.cross_entropy", "torch.randn(8, 5).log_softmax(1), torch.randint(5, (8,))"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when every row of logits is a row of probabilities, or every logit a sigmoid's output."""
        part = case.input
        if part is None or part.spec.meaning is not Meaning.LOGITS:
            return HOLDS
        if (made := told_maker(part)) in {Maker.SOFTMAX, Maker.SIGMOID}:
            itself = "the sigmoid" if _is_unit(case) else "log_softmax"
            said = f"applies {itself} itself and needs logits; {made} made these"
            return self._describe(case, part, said, f"these are probabilities, as {made} makes them")
        if _is_unit(case):
            return self._entry_by_entry(case, part)
        rows = rows_of(part, Meaning.LOGITS)
        if rows is None:
            return CANNOT_TELL
        # A softmax gives no exact zeros beside ones; scores of 0 and 1 may be written so. A fresh layer gives its bias.
        if part.facts.maker is Maker.LINEAR or not is_probabilities(rows) or rows.one_hot == rows.read:
            return HOLDS
        said = f"all {rows.read:,} rows read lie within [0, 1] and sum to 1"
        said = f"applies log_softmax itself and needs logits; {said}"
        return self._describe(case, part, said, "these are probabilities, as softmax makes them", certainty_of(rows))

    def _entry_by_entry(self, case: Case, part: Part) -> Answer:
        low, high, number = part.facts.smallest, part.facts.largest, part.facts.count
        if low is None or high is None or number is None:
            return CANNOT_TELL
        if part.facts.maker is Maker.SIGMOID:
            said = "applies the sigmoid itself and needs logits; a sigmoid made these"
            return self._describe(case, part, said, "these are probabilities, as a sigmoid makes them")
        # A fresh layer gives values close to its bias, wherever that is, and a rectified one gives zeros.
        scattered = 0 < low < _SPREAD[0] and _SPREAD[1] < high < 1
        if part.facts.maker is Maker.LINEAR or number < _MANY or not scattered:
            return HOLDS
        said = (
            f"applies the sigmoid itself and needs logits; all {number:,} values lie between {low:.3g} and {high:.3g}"
        )
        seen = "no value lies below 0 or above 1, as a sigmoid makes them; logits may lie so as well"
        return self._describe(case, part, said, seen, Certainty.POSSIBLE)

    def _describe(
        self, case: Case, part: Part, said: str, cause: str, certainty: Certainty = Certainty.CERTAIN
    ) -> Finding:
        return self.finding(
            case,
            part,
            f"{case.loss} {said}",
            severity=Severity.WARNING,
            certainty=certainty,
            cause=cause,
            fixes=_fixes(case, part),
            rows=part.facts.rows.read if part.facts.rows else 0,
        )


def _is_unit(case: Case) -> bool:
    """Whether each entry has a target of its own, from 0 to 1."""
    return case.target is not None and case.target.spec.meaning is Meaning.UNIT_TARGETS


def _fixes(case: Case, part: Part) -> list[Fix]:
    """The logits, which only the model has; or what makes the loss right for probabilities."""
    binary = _is_unit(case)
    title = "take the loss for probabilities" if binary else "take the logarithm, which softmax turns back"
    code = (
        f"F.binary_cross_entropy({part.name}, {case.target.name})" if binary and case.target else f"{part.name}.log()"
    )
    logits = changes_values("give the logits, as they are before softmax or sigmoid", proof=code)
    return [logits, changes_values(title, code, "less exact than logits")]
