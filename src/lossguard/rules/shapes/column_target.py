"""LG401."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.contracts.shapes import show
from lossguard.findings import Finding, Step
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, Saying, breaks, lossless, passes
from lossguard.rules.shapes.fitting import misfit, without, would_fit


class ColumnTarget(Rule):
    """The target has an axis of size 1 too many: (N, 1) where (N,) is required.

    Why it matters
        One class index belongs to each sample, so the target has the input's shape without its class
        axis. An extra axis of size 1 makes it a matrix, and torch takes that for several targets.

    Usual causes
        `frame[["label"]]` in place of `frame["label"]`; `unsqueeze(1)` meant for a regression; masks read
        with a channel axis, (N, 1, H, W).

    Repair safety
        Taking the axis out is lossless: the labels and their order stay.
    """

    code = "LG401"
    explains = frozenset({"LG405", "LG403"})
    says = (Saying("0D or 1D target tensor expected, multi-target not supported", versions="1.10 and later"),)
    examples = (
        breaks("F.cross_entropy", "torch.randn(4, 5), torch.tensor([[1], [2], [0], [4]])", "raises RuntimeError"),
        breaks("F.cross_entropy", "torch.randn(2, 5, 3, 3), torch.ones(2, 1, 3, 3).long()", "raises RuntimeError"),
        passes("F.cross_entropy", "torch.randn(4, 5), torch.tensor([1, 2, 0, 4])"),
        passes("F.cross_entropy", "torch.randn(4, 5, 1), torch.tensor([[1], [2], [0], [4]])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the shapes do not fit, and do with one axis of size 1 taken out of the target."""
        target = case.target
        if target is None or case.meant.fits is None:
            return CANNOT_TELL
        shapes = misfit(case)
        if shapes is None or target.spec.meaning is not Meaning.CLASS_INDICES:
            return HOLDS
        shape, labels = shapes
        for axis in sorted(range(len(labels)), key=lambda axis: (axis != 1, -axis)):
            if labels[axis] == 1 and would_fit(case, shape, without(labels, axis)):
                return self._describe(case, target, axis)
        return HOLDS

    def _describe(self, case: Case, target: Part, axis: int) -> Finding:
        labels = target.facts.shape or ()
        wanted = without(labels, axis)
        return self.finding(
            case,
            target,
            f"{case.loss} needs a target of shape {show(wanted)} for this input; {target.name} is {show(labels)}",
            repairs=[
                lossless(
                    "take the axis of size 1 out",
                    f"{target.name}.squeeze({axis})",
                    "the labels and their order stay",
                    Step("squeeze", axis),
                )
            ],
        )
