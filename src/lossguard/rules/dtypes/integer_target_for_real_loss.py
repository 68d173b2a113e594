"""LG104."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning, Role
from lossguard.contracts.dtypes import is_whole
from lossguard.findings import Finding, Step
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, Saying, breaks, lossless, passes


class IntegerTargetForRealLoss(Rule):
    """A target of integers or truth values, where the loss computes with real numbers.

    Why it matters
        A loss that multiplies with its target, or subtracts it, needs it in a floating dtype. Class
        probabilities are such a target: cross_entropy takes a target of the input's shape for them.

    Usual causes
        Several classes may be true at once and the rows of 0 and 1 were kept as integers: that is a
        case for binary_cross_entropy_with_logits. Or the input lost its class axis, so that its shape
        equals that of the class indices by accident.

    Repair safety
        A cast to the input's dtype is lossless for labels that the dtype holds exactly; 0 and 1 always are.
    """

    code = "LG104"
    says = (
        Saying(
            "Expected floating point type for target with class probabilities, got Long",
            versions="1.10 and later",
        ),
    )
    examples = (
        breaks(
            "F.cross_entropy",
            "torch.randn(2, 3), torch.tensor([[1, 1, 0], [0, 1, 1]])",
            "raises RuntimeError",
        ),
        passes("F.cross_entropy", "torch.randn(2, 3), torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when a target that must be floating holds integers."""
        target = case.target
        if target is None or target.facts.dtype is None:
            return CANNOT_TELL
        if target.spec.meaning is Meaning.CLASS_INDICES or target.spec.role is not Role.TARGET:
            return HOLDS
        if not is_whole(target.facts.dtype) or case.takes(target, target.facts.dtype) is not False:
            return HOLDS
        return self._describe(case, target)

    def _describe(self, case: Case, target: Part) -> Finding:
        wanted = case.input.facts.dtype if case.input and case.input.facts.dtype else "float32"
        repair = lossless(
            f"cast {target.name} to {wanted}",
            f"{target.name}.to(torch.{wanted})",
            "0 and 1 are the same numbers in any dtype",
            Step("cast", wanted),
        )
        small = target.facts.smallest in {0, 1} and target.facts.largest in {0, 1}
        return self.finding(
            case,
            target,
            f"{case.loss} reads a target of the input's shape as {target.spec.meaning} and needs them floating; "
            f"{target.name} is {target.facts.dtype}",
            cause=_cause(target),
            repairs=[repair] if small else [],
        )


def _cause(target: Part) -> str:
    if target.facts.shape is not None and len(target.facts.shape) == 1:
        return "one axis only: the input has lost its class axis, or the batch axis was squeezed away"
    if target.facts.largest == 1 and target.facts.smallest == 0:
        return "rows with several ones or none: several labels at once, a case for binary_cross_entropy_with_logits"
    return ""
