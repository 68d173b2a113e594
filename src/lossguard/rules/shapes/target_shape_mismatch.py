"""LG405."""

from __future__ import annotations

from typing import Final

from lossguard.contracts.contract import Meaning, Relation, Role
from lossguard.contracts.relations import demand, holds
from lossguard.contracts.shapes import fill, show
from lossguard.findings import Certainty
from lossguard.rules.case import Case, Part
from lossguard.rules.rewriting_calls import swapped
from lossguard.rules.rule import CANNOT_TELL, HOLDS, Answer, Rule, breaks, changes_values, passes
from lossguard.rules.saying import BINARY, CLASS_LOSSES, INDEX_OPERATIONS, REAL_LOSSES, TorchMessage

#: Operations that pick or put along axes, each with words of its own.
_WITH_SOURCES: Final = INDEX_OPERATIONS | {"index_put", "getitem"}


class TargetShapeMismatch(Rule):
    """The shapes of input and target do not fit together, and no simpler reason was found.

    Why it matters
        For an input of (N, C, ...) the target is (N, ...): the same sizes without the class axis.

    Usual causes
        Output and mask of different resolution; a mask read as a colour image; a sequence shifted by one on
        one side only; input and target swapped; a pooling layer more or less than the labels were made for.

    Fix safety
        Resizing or cutting either side is a decision about which values belong together.
    """

    code = "LG405"
    seek = "shape"
    # Labels that do not lie where they should are perhaps no labels at all: colours, for one.
    precedes = frozenset({"LG201", "LG202"})
    says = (
        TorchMessage(
            "Expected target size [8, 10], got [8, 32]",
            shows="Expected target size {wanted_shape}, got {?torch.Size(}{target_shape}",
            ops=CLASS_LOSSES,
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "0D or 1D target tensor expected, multi-target not supported",
            versions="1.10 and later",
            shows="multi-target not supported",
            certainty=Certainty.POSSIBLE,
            weight=40,
        ),
        TorchMessage(
            "only batches of spatial targets supported (3D tensors) but got targets of size: : [20]",
            shows=(
                "only batches of spatial targets supported ({?non-empty }3D tensors) but got "
                "targets of {size|dimension}: {?:} {?[}{target_sizes:number}"
            ),
            certainty=Certainty.POSSIBLE,
            weight=40,
        ),
        TorchMessage(
            "only batches of spatial targets supported (3D tensors) but got targets of size: : [20]",
            shows=(
                "only batches of spatial targets supported ({?non-empty }3D tensors) but got "
                "targets of size: {?:} [{target_rows:number}]"
            ),
            weight=80,
            cause="The model gives logits for every pixel, and the target has one label for each whole image.",
        ),
        TorchMessage(
            "only batches of spatial targets supported (3D tensors) but got targets of dimension: 1",
            devices="CPU",
            shows=(
                "only batches of spatial targets supported ({?non-empty }3D tensors) but got "
                "targets of dimension: {1|2}"
            ),
            weight=80,
            cause="The model gives logits for every pixel, and the target has one label for each whole image.",
        ),
        TorchMessage(
            "only batches of spatial targets supported (3D tensors) but got targets of size: : [4, 10]",
            devices="CUDA",
            shows=(
                "only batches of spatial targets supported ({?non-empty }3D tensors) but got "
                "targets of size: {?:} [{a:number}, {b:number}]"
            ),
            weight=80,
        ),
        TorchMessage(
            "only batches of spatial targets supported (3D tensors) but got targets of size: : [2, 64, 64, 3]",
            devices="CUDA",
            shows=(
                "only batches of spatial targets supported ({?non-empty }3D tensors) but got "
                "targets of size: {?:} [{a:number}, {b:number}, {c:number}, {3|4}]"
            ),
            weight=80,
            cause="A mask read as a colour image: give each colour the index of its class, one number for a pixel.",
        ),
        TorchMessage(
            "only batches of spatial targets supported (3D tensors) at SpatialClassNLLCriterion.cu:96",
            versions="0.3 and before",
            shows="only batches of spatial targets supported",
            weight=30,
        ),
        TorchMessage(
            ("Target and input must have the same number of elements. target nelement (4) != input nelement (8)"),
            versions="1.6 and before",
            shows="must have the same number of elements. target nelement",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "size mismatch (got input: [2, 5, 3, 3] , target: [2, 3, 2]",
            devices="CPU",
            shows="size mismatch (got input: {input_shape}, target: {target_shape}",
            weight=60,
        ),
        TorchMessage(
            "input and target batch or spatial sizes don't match: target [2, 3, 2], input [2, 5, 3, 3]",
            devices="CUDA",
            shows=("input and target batch or spatial sizes dont match: target {target_shape}, input {input_shape}"),
            weight=60,
        ),
        TorchMessage(
            "Target size (torch.Size([4, 3])) must be the same as input size (torch.Size([4, 5]))",
            shows=(
                "Target size (torch.Size({target_shape})) must be the same as input size (torch.Size({input_shape}))"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            (
                "Using a target size (torch.Size([4, 3])) that is different to the input size "
                "(torch.Size([4, 5])) is deprecated. Please ensure they have the same size."
            ),
            shows=(
                "Using a target size (torch.Size({target_shape})) that is different to the input "
                "size (torch.Size({input_shape})) is deprecated"
            ),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "1D target tensor expects 2D input tensors, but found inputs with sizes [5] and [5].",
            versions="1.9 and later",
            shows="D target tensor expects {n:number}D input tensors, but found inputs with sizes",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0",
            shows=(
                "The size of tensor a ({n:number}) must match the size of tensor b ({m:number}) "
                "at non-singleton dimension"
            ),
            ops=REAL_LOSSES - BINARY,
            certainty=Certainty.POSSIBLE,
            needs="nothing else",
        ),
        TorchMessage(
            "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0",
            shows=(
                "The size of tensor a ({n:number}) must match the size of tensor b ({m:number}) "
                "at non-singleton dimension"
            ),
            ops=BINARY,
            certainty=Certainty.POSSIBLE,
            needs="nothing else",
            weight=24,
        ),
        TorchMessage(
            "For 1D input, 1D target must have size 1, but got target size: 4",
            versions="2.9 and later",
            shows="For 1D input, 1D target must have size 1",
            weight=65,
        ),
        TorchMessage("inconsistent target size, expected [4] but got [3]", shows="inconsistent target size", weight=60),
        TorchMessage(
            ("multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples"),
            versions="2.12 and later",
            shows="target tensor should be 1-D with size equal to the number of input samples",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            ("The anchor, positive, and negative tensors are expected to have the same number of dimensions"),
            versions="1.10 and later",
            shows=("The anchor, positive, and negative tensors are expected to have the same number of dimensions"),
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "margin_ranking_loss : All input tensors should have same dimension",
            versions="1.9 and later",
            shows="All input tensors should have same dimension",
            certainty=Certainty.CERTAIN,
            weight=70,
        ),
        TorchMessage(
            "input and target shapes do not match: input [4 x 1], target [4]",
            versions="1.0 and before",
            shows="input and target shapes do not match",
            weight=60,
        ),
        TorchMessage(
            (
                "input and target have different number of elements: input[4 x 1] has 4 "
                "elements, while target[3] has 3 elements"
            ),
            versions="1.0 and before",
            shows="input and target have different number of elements",
            weight=60,
        ),
        TorchMessage("var is of incorrect size", versions="1.8 and later", shows="var is of incorrect size", weight=60),
        TorchMessage(
            (
                "Size does not match at dimension 0 expected index [4, 1] to be no larger than "
                "self [3, 4] apart from dimension 1"
            ),
            versions="1.5 and later",
            shows="expected index {index_shape} to be {no larger|smaller} than self",
            weight=60,
        ),
        TorchMessage(
            "Index tensor must have the same number of dimensions as input tensor",
            shows="Index tensor must have the same number of dimensions as",
            weight=60,
        ),
        TorchMessage(
            "index_add_(): Number of indices (2) should be equal to source.size(dim): (3), for dim: 0",
            shows="Number of indices ({a:number}) should be equal to source.size(dim)",
            ops=_WITH_SOURCES,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
        TorchMessage(
            "source tensor shape must match self tensor shape, excluding the specified dimension",
            shows="source tensor shape must match self tensor shape, excluding the specified dimension",
            ops=_WITH_SOURCES,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
        TorchMessage(
            "index_copy_(): Source/destination tensor must have same slice shapes",
            shows="Source/destination tensor must have same slice shapes",
            ops=_WITH_SOURCES,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
        TorchMessage(
            "shape mismatch: value tensor of shape [2] cannot be broadcast to indexing result of shape [3]",
            shows=(
                "shape mismatch: value tensor of shape {target_shape} cannot be broadcast to "
                "indexing result of shape {wanted_shape}"
            ),
            ops=_WITH_SOURCES,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
        TorchMessage(
            "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
            shows="shape mismatch: indexing tensors could not be broadcast together with shapes",
            ops=_WITH_SOURCES,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
        TorchMessage(
            "index_select(): Index to scalar can have only 1 value, got 2 value(s)",
            shows="Index to scalar can have only 1 value",
            ops=_WITH_SOURCES,
            certainty=Certainty.POSSIBLE,
            weight=60,
        ),
    )
    verify = "print(input.shape, target.shape)"
    examples = (
        breaks("F.cross_entropy", "torch.randn(2, 5, 8, 8), torch.zeros(2, 16, 16).long()", "raises RuntimeError"),
        breaks("F.cross_entropy", "torch.randn(2, 5), torch.zeros(2, 3).long()", "raises RuntimeError"),
        breaks("F.nll_loss", "torch.randn(5).log_softmax(0), torch.zeros(3).long()", "raises ValueError"),
        breaks("F.binary_cross_entropy", "torch.rand(4, 3), torch.rand(4, 2)", "raises ValueError"),
        breaks("torch.gather", "torch.randn(2, 3), 1, torch.zeros(4, 1).long()", "raises RuntimeError"),
        breaks("F.cross_entropy", "torch.randn(2, 0, 3), torch.full((2, 3), -100)", "raises RuntimeError"),
        breaks(
            "torch.index_add", "torch.zeros(4, 3), 0, torch.tensor([0, 1]), torch.ones(3, 3)", "raises RuntimeError"
        ),
        breaks("torch.index_copy", "torch.zeros(4, 3), 0, torch.tensor([0]), torch.ones(1, 2)", "raises RuntimeError"),
        breaks("torch.index_put", "torch.zeros(4), (torch.tensor([0, 1, 2]),), torch.ones(2)", "raises RuntimeError"),
        breaks("torch.index_select", "torch.tensor(1.0), 0, torch.tensor([0, 0])", "raises RuntimeError"),
        passes("torch.index_put", "torch.zeros(4, 2), (torch.tensor([0, 1, 2]),), torch.ones(3, 1)"),
        passes("torch.Tensor.__getitem__", "torch.zeros(4, 2), torch.rand(4, 2) > 0.5"),
        passes("F.cross_entropy", "torch.randn(2, 5, 8, 8), torch.zeros(2, 8, 8).long()"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when the shapes do not fit."""
        if case.meant.fits is None or case.meant.reading is None:
            return CANNOT_TELL
        tensors = all(part.facts.kind in {"tensor", None} or part.spec.plain_values for part in case.parts)
        if case.meant.fits and _refuses_no_classes(case) and case.target is not None:
            message = f"{case.loss} needs classes on axis 1 of its input, and there are 0"
            return self.finding(case, case.target, message, cause="the last layer has no outputs")
        if case.meant.fits or not tensors or not case.parts:
            return HOLDS
        broken = _broken_relation(case)
        part = (case.named(broken.blamed) if broken else None) or case.partner or case.parts[-1]
        others = [other for other in case.parts if other is not part and other.spec.role is not Role.WEIGHT]
        shown = ", ".join(
            f"{other.name} {show(other.facts.shape)}" for other in others if other.facts.shape is not None
        )
        mine = show(part.facts.shape) if part.facts.shape is not None else "unknown"
        return self.finding(
            case,
            part,
            f"{case.loss} needs {_needs(case, part)} for {shown or 'this call'}; {part.name} is {mine}",
            cause=_cause(case, part),
            fixes=[*swapped(case), changes_values("make the shapes agree where the tensors are made")],
            input_shape=list(case.input.facts.shape or ()) if case.input else [],
        )


def _refuses_no_classes(case: Case) -> bool:
    """Whether torch has refused an input without classes: with some numbers of axes it does, with others not."""
    outcome = case.observation.outcome
    return case.classes == 0 and outcome is not None and outcome.raised is not None


def _broken_relation(case: Case) -> Relation | None:
    """The demand on several shapes that is broken, if each of them is one that may be."""
    reading, layout = case.meant.reading, case.meant.layout
    if reading is None or layout is None:
        return None
    named = [part for part in case.parts if part.name in layout.shapes and part.spec.role is not Role.WEIGHT]
    if any(layout.bind(part.name, part.facts.shape or (), case.meant.sizes) is None for part in named):
        return None
    return next((relation for relation in reading.relations if holds(relation, case.shapes) is False), None)


def _needs(case: Case, part: Part) -> str:
    layout = case.meant.layout
    pattern = layout.shapes.get(part.name) if layout else None
    wanted = fill(pattern[0], case.meant.sizes) if pattern else None
    if (broken := _broken_relation(case)) is not None:
        return demand(broken, case.shapes)
    if wanted is not None:
        return f"a {part.name} of shape {show(wanted)}"
    return f"shapes that go together ({_patterns(case)})"


def _patterns(case: Case) -> str:
    """What the loss takes, as patterns, when no layout fits at all."""
    reading = case.meant.reading
    if reading is None or case.meant.layout is not None:
        return "as its documentation says"
    return " or ".join(
        ", ".join(f"{name} ({patterns[0].replace(' ', ', ')})" for name, patterns in layout.shapes.items())
        for layout in reading.layouts
    )


def _cause(case: Case, part: Part) -> str:
    shape, labels = case.input.facts.shape if case.input else None, part.facts.shape
    if part.spec.meaning is Meaning.UNIT_TARGETS and shape and shape[:-1] == labels:
        return (
            f"{shape[-1]} outputs for each label: one of {shape[-1]} classes is a case for cross_entropy, "
            "a yes or no needs one output"
        )
    if shape is None or labels is None or part.spec.meaning is not Meaning.CLASS_INDICES:
        return ""
    if len(labels) == len(shape) + 1:
        return "input and target may be swapped"
    if len(shape) > 2 and labels[:-1] == (shape[0], *shape[2:]) and labels[-1] in {3, 4}:
        return f"{labels[-1]} values for each place: a mask read as a colour image, before colours became classes"
    if len(shape) == len(labels) + 1 and len(shape) > 2 and shape[0] == labels[0]:
        return f"the input has {show(shape[2:])} places for each sample and the target {show(labels[1:])}"
    return ""
