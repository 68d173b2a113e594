"""LG212."""

from __future__ import annotations

from typing import Final

from lossguard.contracts.contract import Meaning
from lossguard.findings import Certainty, Finding, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Cost, Rule, breaks, changes_values, passes

#: Fewer labels than this, and it may be chance that none is -1.
_ENOUGH_LABELS: Final = 8


class SignLabelsExpected(Rule):
    """Labels of 0 and 1 are given to a loss of -1 and +1.

    Why it matters
        These losses multiply with the label, or compare it with -1 and +1, and check nothing. A 0 switches
        the sample off: margin_ranking_loss and cosine_embedding_loss give 0 and no gradient, soft_margin_loss
        a constant, hinge_embedding_loss a sum of both branches.

    Usual causes
        Labels made for binary_cross_entropy; a comparison, which gives 0 and 1; truth values.

    Fix safety
        `2 * target - 1` changes every 0 into -1: what is meant, most likely, but a change of values.
    """

    code = "LG212"
    seek = "zeros and ones"
    cost = Cost.VALUES
    examples = (
        breaks("F.soft_margin_loss", "torch.randn(3), torch.tensor([0.0, 1.0, 1.0])", "silent"),
        breaks("F.hinge_embedding_loss", "torch.rand(3), torch.tensor([0, 1, 1])", "silent"),
        breaks("F.margin_ranking_loss", "torch.randn(3), torch.randn(3), torch.tensor([0.0, 1.0, 0.0])", "silent"),
        breaks("F.cosine_embedding_loss", "torch.randn(3, 4), torch.randn(3, 4), torch.tensor([0, 1, 0])", "silent"),
        passes("F.soft_margin_loss", "torch.randn(3), torch.tensor([-1.0, 1.0, 1.0])"),
        passes("F.margin_ranking_loss", "torch.randn(3), torch.randn(3), torch.ones(3)"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when labels that should be signs are 0 and 1."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.SIGNS):
            facts = part.facts
            if facts.smallest is None or facts.largest is None:
                return CANNOT_TELL
            if facts.fractional or not facts.count:
                continue
            if facts.smallest == 0 and facts.largest in {0, 1} and not _may_be_chance(case, part):
                found.append(self._describe(case, part))
        return found or HOLDS

    def _describe(self, case: Case, part: Part) -> Finding:
        many = (part.facts.count or 0) > 1 and part.facts.largest == 1
        return self.finding(
            case,
            part,
            f"{case.loss} needs labels of -1 and +1; {part.name} has values from 0 to {part.facts.largest:g}",
            severity=Severity.WARNING,
            certainty=Certainty.CERTAIN if many else Certainty.LIKELY,
            cause="a label of 0 gives no gradient",
            fixes=[changes_values("make them -1 and +1", f"2 * {part.name} - 1", "every 0 becomes -1")],
        )


def _may_be_chance(case: Case, part: Part) -> bool:
    """Whether this batch of a running program may be one of -1, 0 and +1 that has no -1: the next one will tell.

    `sign()` gives 0 for a tie, which counts for nothing in most of these losses. That n labels in which -1 is as likely
    as +1 show not one -1 happens once in 2 ** n batches, and never to truth values.
    """
    few = (part.facts.count or 0) < _ENOUGH_LABELS and part.facts.dtype != "bool"
    return case.observation.in_passing and part.spec.neutral == 0 and few
