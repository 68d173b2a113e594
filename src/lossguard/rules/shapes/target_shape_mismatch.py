"""LG405."""

from __future__ import annotations

from lossguard.contracts.shapes import Shape, fill, show
from lossguard.rules.case import Case
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, Saying, breaks, changes_values, passes
from lossguard.rules.shapes.fitting import misfit


class TargetShapeMismatch(Rule):
    """The shapes of input and target do not fit together, and no simpler reason was found.

    Why it matters
        For an input of (N, C, ...) the target is (N, ...): the same sizes without the class axis.

    Usual causes
        Output and mask of different resolution; a sequence shifted by one on one side only; input and
        target swapped; a pooling layer more or less than the labels were made for.

    Repair safety
        Resizing or cutting either side is a decision about which values belong together.
    """

    code = "LG405"
    says = (Saying("Expected target size [8, 10], got [8, 32]"),)
    examples = (
        breaks("F.cross_entropy", "torch.randn(2, 5, 8, 8), torch.zeros(2, 16, 16).long()", "raises RuntimeError"),
        breaks("F.cross_entropy", "torch.randn(2, 5), torch.zeros(2, 3).long()", "raises RuntimeError"),
        breaks("F.nll_loss", "torch.randn(5).log_softmax(0), torch.zeros(3).long()", "raises ValueError"),
        passes("F.cross_entropy", "torch.randn(2, 5, 8, 8), torch.zeros(2, 8, 8).long()"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the shapes do not fit."""
        if case.target is None or case.meant.fits is None:
            return CANNOT_TELL
        shapes = misfit(case)
        if shapes is None:
            return HOLDS
        shape, labels = shapes
        wanted = _wanted(case)
        needs = f"a target of shape {show(wanted)}" if wanted is not None else "an input with an axis of classes"
        return self.finding(
            case,
            case.target,
            f"{case.loss} needs {needs} for an input of {show(shape)}; {case.target.name} is {show(labels)}",
            cause=_cause(shape, labels),
            repairs=[changes_values("make the target's sizes those of the input, without the class axis")],
            input_shape=list(shape),
        )


def _wanted(case: Case) -> Shape | None:
    layout, target = case.meant.layout, case.target
    if layout is None or target is None:
        return None
    return fill(layout.shapes[target.name][0], case.meant.sizes)


def _cause(shape: Shape, labels: Shape) -> str:
    if len(labels) == len(shape) + 1:
        return "input and target may be swapped"
    if len(shape) == len(labels) + 1 and len(shape) > 2 and shape[0] == labels[0]:
        return f"the input has {show(shape[2:])} places for each sample and the target {show(labels[1:])}"
    return ""
