"""LG302."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.facts.facts import Maker, Rows
from lossguard.findings import Certainty, Finding, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.meaning.reading_rows import (
    certainty_of,
    is_log_probabilities,
    is_probabilities,
    rows_of,
    told_maker,
)
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, passes


class ProbabilitiesAsLogProbabilities(Rule):
    """The output of softmax is given to a loss of log-probabilities.

    Why it matters
        The loss is then minus a probability: a number between -1 and 0. Its gradient still points the
        right way but fades where the model is most wrong, so training is slow and ends early.

    Usual causes
        `softmax` in the model where `log_softmax` was meant.

    Fix safety
        `log_softmax` of the logits changes the number, which was wrong. Taking `.log()` of the
        probabilities gives minus infinity where one is 0.
    """

    code = "LG302"
    seek = "plain probabilities"
    cost = Cost.DEEP
    examples = (
        breaks("F.nll_loss", "torch.randn(8, 5).softmax(1), torch.randint(5, (8,))", "silent"),
        breaks("nn.NLLLoss()", "torch.randn(8, 5).half().softmax(1), torch.randint(5, (8,))", "silent"),
        breaks(
            "F.kl_div", "torch.randn(8, 5).softmax(1), torch.randn(8, 5).softmax(1), reduction='batchmean'", "silent"
        ),
        passes("F.nll_loss", "torch.randn(8, 5).log_softmax(1), torch.randint(5, (8,))"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when every row of log-probabilities is a row of probabilities."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.LOG_PROBABILITIES):
            rows = rows_of(part, Meaning.LOG_PROBABILITIES)
            if (made := told_maker(part)) in {Maker.SOFTMAX, Maker.SIGMOID}:
                found.append(self._describe(case, part, f"{made} made these", Rows()))
            elif rows is None:
                return CANNOT_TELL
            elif is_probabilities(rows) and not is_log_probabilities(rows):
                said = f"all {rows.read:,} rows read lie within [0, 1] and sum to 1"
                found.append(self._describe(case, part, said, rows))
        return found or HOLDS

    def _describe(self, case: Case, part: Part, said: str, rows: Rows) -> Finding:
        return self.finding(
            case,
            part,
            f"{case.loss} needs log-probabilities; {said}",
            severity=Severity.WARNING,
            certainty=certainty_of(rows) if rows.read else Certainty.CERTAIN,
            cause="these are probabilities, as softmax makes them",
            fixes=[
                changes_values(
                    "take the logarithm; log_softmax in place of softmax is more exact", f"{part.name}.log()"
                ),
            ],
            rows=rows.read,
        )
