"""LG404."""

from __future__ import annotations

from lossguard.contracts.contract import Meaning
from lossguard.contracts.shapes import show
from lossguard.findings import Certainty, Finding, Severity
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, passes
from lossguard.rules.saying import CLASS_LOSSES, TorchMessage
from lossguard.rules.shapes.fitting import misfit, moved, would_fit


class ClassAxisMisplaced(Rule):
    """The classes are not on axis 1 of the input, or the input has no class axis at all.

    Why it matters
        Torch takes axis 1 for the classes, whatever the number of axes: (N, C), (N, C, T), (N, C, H, W).
        A transformer gives (N, T, C), and an image network in channels-last order (N, H, W, C).

    Usual causes
        The transpose before the loss is missing; the batch axis was squeezed away; the model returned a
        pooled value where one for each class was meant.

    Fix safety
        Moving the axis changes no label; but make sure which axis holds the classes. Flattening both
        sides, `logits.reshape(-1, C)` and `target.reshape(-1)`, does the same.
    """

    code = "LG404"
    seek = "shape"
    explains = frozenset({"LG303", "LG302", "LG301"})
    explains_everywhere = frozenset({"LG201", "LG202", "LG403", "LG405", "LG407", "LG104"})
    says = (
        TorchMessage(
            "Expected target size [8, 10], got [8, 32]",
            shows="Expected target size {wanted_shape}, got {?torch.Size(}{target_shape}",
            ops=CLASS_LOSSES,
            weight=60,
        ),
        TorchMessage(
            "Dimension out of range (expected to be in range of [-1, 0], but got 1)",
            shows="Dimension out of range (expected to be in range of [-1, 0], but got 1",
            ops=CLASS_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=60,
            because="the softmax over axis 1 finds an input with one axis only",
        ),
        TorchMessage(
            "Expected 1 or more dimensions (got 0)",
            shows="Expected {1|2} or {more|4} dimensions (got {n:number})",
            ops=CLASS_LOSSES,
            weight=60,
        ),
        TorchMessage(
            "For 1D input, 1D target must have size 1, but got target size: 4",
            versions="2.9 and later",
            shows="For 1D input, 1D target must have size 1",
            weight=60,
        ),
        TorchMessage(
            "only batches of spatial inputs supported (4D tensors), but got input of dimension: 3",
            shows="only batches of spatial inputs supported",
            weight=60,
        ),
        TorchMessage(
            "input tensor should be 1D or 2D",
            shows="input tensor should be {?either }1D or 2D",
            ops=CLASS_LOSSES,
            weight=60,
        ),
        TorchMessage(
            "size mismatch (got input: [2, 3, 3, 5] , target: [2, 3, 3])",
            devices="CPU",
            shows="size mismatch (got input: {input_shape}, target: {target_shape}",
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "input and target batch or spatial sizes don't match: target [2, 3, 3], input [2, 3, 3, 5]",
            devices="CUDA",
            shows="input and target batch or spatial sizes dont match: target {target_shape}, input {input_shape}",
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "Expected floating point type for target with class probabilities, got Long",
            versions="1.10 and later",
            shows="Expected floating point type for target with class probabilities, got {target_dtype:whole}",
            certainty=Certainty.POSSIBLE,
            weight=30,
            because="1-D logits and 1-D labels have the same shape by accident",
        ),
    )
    verify = "print(input.shape, target.shape)"
    remedies = (
        changes_values("put the classes on axis 1", "logits.movedim(-1, 1)"),
        changes_values("keep the batch axis: squeeze one axis, not all", "output.squeeze(1)"),
    )
    examples = (
        breaks("F.cross_entropy", "torch.randn(2, 7, 5), torch.randint(5, (2, 7))", "raises RuntimeError"),
        breaks("F.cross_entropy", "torch.randn(2, 6, 7, 5), torch.randint(5, (2, 6, 7))", "raises RuntimeError"),
        breaks("F.cross_entropy", "torch.tensor(0.3), torch.tensor(1)", "raises RuntimeError"),
        breaks("F.cross_entropy", "nn.Linear(3, 7)(torch.randn(2, 7, 3)), torch.randint(7, (2, 7))", "silent"),
        passes("F.cross_entropy", "nn.Linear(3, 7)(torch.randn(2, 7, 3)).mT, torch.randint(7, (2, 7))"),
        passes("F.cross_entropy", "nn.Conv1d(3, 7, 1)(torch.randn(2, 3, 7)), torch.randint(7, (2, 7))"),
        passes("F.cross_entropy", "torch.randn(2, 7, 5).transpose(1, 2), torch.randint(5, (2, 7))"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when moving an axis of the input would make the call fit, or it fits only by chance."""
        given = case.input
        if given is None or case.meant.fits is None:
            return CANNOT_TELL
        shapes = misfit(case)
        if shapes is None:
            return self._fits_by_chance(case, given) if case.meant.fits else HOLDS
        shape, labels = shapes
        reading = case.meant.reading
        if not shape and reading is not None and all(layout.class_axis is not None for layout in reading.layouts):
            return self._scalar(case, given)
        if case.target is None or case.target.spec.meaning is not Meaning.CLASS_INDICES or not shape:
            return HOLDS
        for axis in range(len(shape) - 1, 1, -1):
            if would_fit(case, moved(shape, axis, 1), labels):
                return self._describe(case, given, axis)
        if len(shape) == 2 and not given.facts.outputs_last and would_fit(case, moved(shape, 0, 1), labels):
            return self._describe(case, given, 0)
        return HOLDS

    def _fits_by_chance(self, case: Case, given: Part) -> Answer:
        """As many places as classes: the shapes fit, but a linear layer put the classes on the last axis."""
        shape, layout = given.facts.shape or (), case.meant.layout
        alike = len(shape) > 2 and shape[1] == shape[-1] and layout is not None and layout.class_axis == 1
        is_class = case.target is not None and case.target.spec.meaning is Meaning.CLASS_INDICES
        if not alike or not is_class or not given.facts.outputs_last:
            return HOLDS
        return self.finding(
            case,
            given,
            f"{case.loss} takes axis 1 for the classes; {given.name} {show(shape)} comes straight from a linear "
            f"layer, whose outputs are on axis {len(shape) - 1}, and fits only because both have {shape[1]}",
            severity=Severity.WARNING,
            certainty=Certainty.LIKELY,
            cause="places and classes are equally many, so the transpose before the loss is not missed",
            fixes=[changes_values("put the classes on axis 1", f"{given.name}.movedim({len(shape) - 1}, 1)")],
        )

    def _describe(self, case: Case, given: Part, axis: int) -> Finding:
        shape = given.facts.shape or ()
        labels = show(case.target.facts.shape or ()) if case.target else ""
        return self.finding(
            case,
            given,
            f"{case.loss} takes axis 1 for the classes; {given.name} {show(shape)} fits a target of {labels} "
            f"only with the classes on axis {axis}",
            cause=f"axis {axis} of size {shape[axis]} looks like the classes",
            fixes=[changes_values("put the classes on axis 1", f"{given.name}.movedim({axis}, 1)")],
            target_shape=list(case.target.facts.shape or ()) if case.target else [],
        )

    def _scalar(self, case: Case, given: Part) -> Finding:
        return self.finding(
            case,
            given,
            f"{case.loss} needs an axis of classes; {given.name} is a single number",
            cause="the model returned a pooled or reduced value where one for each class was meant",
        )
