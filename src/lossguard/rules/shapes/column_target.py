"""LG401."""

from __future__ import annotations

from typing import Final

from lossguard.contracts.shapes import Shape, show
from lossguard.findings import Certainty, Finding, Step
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, lossless, passes
from lossguard.rules.saying import TorchMessage
from lossguard.rules.shapes.fitting import misfit, without, would_fit

_SQUEEZED: Final = "a squeeze() of the input took the axis of a batch of one as well: name the axis, squeeze(1)"


class ColumnTarget(Rule):
    """The target has an axis of size 1 too many or too few: (N, 1) where (N,) is required.

    Why it matters
        One class index belongs to each sample, so the target has the input's shape without its class
        axis. An extra axis of size 1 makes it a matrix, and torch takes that for several targets.

    Usual causes
        `frame[["label"]]` in place of `frame["label"]`; `unsqueeze(1)` meant for a regression; masks read
        with a channel axis, (N, 1, H, W). The other way round, a last layer with one output gives (N, 1)
        beside labels of (N,).

    Fix safety
        Taking the axis out is lossless: the labels and their order stay.
    """

    code = "LG401"
    seek = "column"
    explains = frozenset({"LG405", "LG403"})
    says = (
        TorchMessage(
            "0D or 1D target tensor expected, multi-target not supported",
            versions="1.10 and later",
            shows="multi-target not supported",
            weight=60,
        ),
        TorchMessage(
            ("only batches of spatial targets supported (3D tensors) but got targets of size: : [2, 1, 3, 3]"),
            devices="CUDA",
            shows=(
                "only batches of spatial targets supported ({?non-empty }3D tensors) but got "
                "targets of size: {?:} {target_shape:column}"
            ),
            weight=80,
        ),
        TorchMessage(
            "only batches of spatial targets supported (3D tensors) but got targets of dimension: 4",
            devices="CPU",
            shows=(
                "only batches of spatial targets supported ({?non-empty }3D tensors) but got targets of dimension: 4"
            ),
            weight=60,
        ),
        TorchMessage(
            "Expected target size [8, 10], got [8, 1]",
            shows="Expected target size {wanted_shape}, got {?torch.Size(}{target_shape:column}",
            certainty=Certainty.POSSIBLE,
            weight=70,
        ),
        TorchMessage(
            "Target size (torch.Size([4])) must be the same as input size (torch.Size([4, 1]))",
            shows=(
                "Target size (torch.Size({target_shape})) must be the same as input size (torch.Size({input_shape}))"
            ),
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            (
                "Using a target size (torch.Size([4])) that is different to the input size "
                "(torch.Size([4, 1])) is deprecated."
            ),
            shows=(
                "Using a target size (torch.Size({target_shape})) that is different to the input "
                "size (torch.Size({input_shape})) is deprecated"
            ),
            certainty=Certainty.POSSIBLE,
        ),
    )
    verify = "print(input.shape, target.shape)"
    remedies = (changes_values("take the extra axis out", "target.squeeze(1)"),)
    examples = (
        breaks("F.cross_entropy", "torch.randn(4, 5), torch.tensor([[1], [2], [0], [4]])", "raises RuntimeError"),
        breaks("F.cross_entropy", "torch.randn(2, 5, 3, 3), torch.ones(2, 1, 3, 3).long()", "raises RuntimeError"),
        breaks("F.binary_cross_entropy_with_logits", "torch.randn(4, 1), torch.rand(4)", "raises ValueError"),
        passes("F.cross_entropy", "torch.randn(4, 5), torch.tensor([1, 2, 0, 4])"),
        passes("F.cross_entropy", "torch.randn(4, 5, 1), torch.tensor([[1], [2], [0], [4]])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the shapes do not fit, and do with one axis of size 1 less or more in the target."""
        target = case.target
        if target is None or case.meant.fits is None:
            return CANNOT_TELL
        shapes = misfit(case)
        if shapes is None:
            return HOLDS
        shape, labels = shapes
        for axis in sorted(range(len(labels)), key=lambda axis: (axis != 1, -axis)):
            if labels[axis] == 1 and would_fit(case, shape, without(labels, axis)):
                step = Step("squeeze", axis)
                return self._describe(case, target, without(labels, axis), "take the axis of size 1 out", step)
        for axis in range(len(labels) + 1):
            wider = (*labels[:axis], 1, *labels[axis:])
            if wider == shape and would_fit(case, shape, wider):
                return self._describe(case, target, wider, "add the axis of size 1", Step("unsqueeze", axis))
        return HOLDS

    def _describe(self, case: Case, target: Part, wanted: Shape, title: str, step: Step) -> Finding:
        labels = target.facts.shape or ()
        code = f"{target.name}.{step.name}({step.argument})"
        return self.finding(
            case,
            target,
            f"{case.loss} needs a target of shape {show(wanted)} for this input; {target.name} is {show(labels)}",
            fixes=[lossless(title, code, "the labels and their order stay", step)],
            cause=_SQUEEZED if not wanted and case.input is not None else "",
        )
