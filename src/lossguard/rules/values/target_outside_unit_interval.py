"""LG205."""

from __future__ import annotations

from typing import Final

from lossguard.contracts.contract import Meaning
from lossguard.facts.facts import Facts, Number
from lossguard.findings import Certainty, Finding, Fix, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.out_of_range import SENTINELS
from lossguard.rules.rewriting_calls import only_where, swapped
from lossguard.rules.rule import (
    CANNOT_TELL,
    HOLDS,
    Answer,
    Cost,
    Rule,
    breaks,
    changes_values,
    count,
    passes,
)
from lossguard.rules.saying import TorchMessage

#: A label at least as large says yes, smoothed or not.
_YES: Final = 0.5
#: How far rounding moves what was smoothed.
_ROUNDING: Final = 1e-2


class TargetOutsideUnitInterval(Rule):
    """A target of a yes-or-no loss lies outside 0 to 1.

    Why it matters
        binary_cross_entropy checks its target and raises, and on CUDA kills the device. With logits
        nothing is checked: a target of 255, 2 or -1 gives a loss that falls without end, and training
        runs away from the labels.

    Usual causes
        A mask of 0 and 255 that was never divided; class indices 0, 1, 2 given to a binary loss; labels
        of -1 and +1; -1 for "unknown".

    Fix safety
        Scaling, shifting and clamping change labels: your decision, and the values tell which is likely.
    """

    code = "LG205"
    seek = "outside 0 to 1"
    cost = Cost.VALUES
    says = (
        TorchMessage(
            "all elements of target should be between 0 and 1",
            devices="CPU",
            versions="2.1 and later",
            shows="all elements of target should be between 0 and 1",
            weight=60,
        ),
        TorchMessage(
            "Assertion `target_val >= zero && target_val <= one` failed",
            devices="CUDA",
            versions="2.1 and later",
            shows="target_val >= zero && target_val <= one",
            weight=60,
        ),
    )
    verify = "print(target.min(), target.max(), target.isnan().any())"
    remedies = (changes_values("scale a mask of 0 to 255", "target / 255"),)
    examples = (
        breaks("F.binary_cross_entropy", "torch.rand(3), torch.tensor([0.0, 2.0, 1.0])", "raises RuntimeError"),
        breaks("F.binary_cross_entropy_with_logits", "torch.randn(3), torch.tensor([0.0, 255.0, 0.0])", "silent"),
        breaks("F.multilabel_soft_margin_loss", "torch.randn(1, 3), torch.tensor([[0.0, 2.0, 1.0]])", "silent"),
        passes("F.binary_cross_entropy_with_logits", "torch.randn(3), torch.tensor([0.0, 0.9, 1.0])"),
        passes("F.binary_cross_entropy_with_logits", "torch.randn(3), torch.tensor([0.0, -1, 1]), reduction='none'"),
        passes("F.binary_cross_entropy_with_logits", "torch.randn(3), torch.tensor([0.0, 255, 1]), reduction='none'"),
        breaks(
            "F.binary_cross_entropy_with_logits",
            "torch.randn(3), torch.tensor([0.0, 255, 0]), reduction='none'",
            "silent",
        ),
        passes(
            "F.binary_cross_entropy_with_logits", "torch.randn(3), torch.tensor([0.1, -79.9, 0.9]), reduction='none'"
        ),
        passes(
            "F.binary_cross_entropy_with_logits",
            "torch.randn(3), torch.tensor([0.0, -1, 1]), weight=torch.tensor([1.0, 0, 1])",
        ),
    )

    def look(self, case: Case) -> Answer:
        """Broken when a target between 0 and 1 is not."""
        found: list[Finding] = []
        for part in case.meaning(Meaning.UNIT_TARGETS):
            if part.facts.out_of_bounds is None:
                return CANNOT_TELL
            finite = (part.facts.out_of_bounds or 0) - (part.facts.infinite or 0)
            if finite > 0 and not _left_out(case, part):
                found.append(self._describe(case, part, finite))
        return found or HOLDS

    def _describe(self, case: Case, part: Part, number: int) -> Finding:
        cause, fixes = _cause(case, part)
        return self.finding(
            case,
            part,
            f"{case.loss} needs targets from 0 to 1; {count(number, 'value')} of {part.facts.count:,} in "
            f"{part.name} {'is' if number == 1 else 'are'} outside, between {part.facts.smallest:g} and "
            f"{part.facts.largest:g}",
            severity=Severity.ERROR if case.is_enforced(part, "bounds") else Severity.WARNING,
            # What is not averaged by torch may still be masked.
            certainty=Certainty.LIKELY if case.contract.reduction == "none" else Certainty.CERTAIN,
            cause=cause,
            fixes=fixes,
            samples=True,
        )


def _left_out(case: Case, part: Part) -> bool:
    """Whether the outside are marks for "no label" that the program can leave out itself, and torch lets it.

    A mark above 1 is one only beside labels that say yes: a mask of 0 and 255 was not scaled.
    """
    facts = part.facts
    marks = {*(facts.below_values or ()), *(facts.above_values or ())}
    if len(marks) != 1 or not _is_mark(marks.pop(), facts) or case.is_enforced(part, "bounds"):
        return False
    if facts.above and (facts.largest_within or 0) < _YES:
        return False
    weights = [other.facts for other in case.meaning(Meaning.ENTRY_WEIGHTS)]
    return case.contract.reduction == "none" or any(known.smallest == 0 for known in weights)


def _is_mark(value: Number, facts: Facts) -> bool:
    """Whether a value is a mark for "no label", perhaps one that went through label smoothing beside the labels."""
    if value in SENTINELS or value < 0:
        # The one value below 0 can be no label, whatever was done to it.
        return True
    low, high = facts.smallest_within, facts.largest_within
    if low is None or high is None or low == high:
        return False
    before = (value - low) / (high - low)
    return any(abs(before - sentinel) < _ROUNDING * abs(sentinel) for sentinel in SENTINELS)


def _cause(case: Case, part: Part) -> tuple[str, list[Fix]]:
    low, high = part.facts.smallest, part.facts.largest
    if low == 0 and high == 255:
        return "a mask of 0 to 255", [changes_values("scale it", f"{part.name} / 255")]
    if low == -1 and high == 1:
        return "labels of -1 and +1", [changes_values("make them 0 and 1", f"({part.name} + 1) / 2")]
    if low == -1:
        out = only_where(case, part, f"{part.name} >= 0", "leave those entries out")
        return "-1 marks entries without a label", out
    if low is not None and low >= 0 and high is not None and float(high).is_integer():
        return "class indices, a case for cross_entropy", [
            changes_values(f"take F.cross_entropy and a model with {int(high) + 1} outputs")
        ]
    return "", swapped(case)
