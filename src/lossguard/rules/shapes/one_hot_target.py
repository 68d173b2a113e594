"""LG402."""

from __future__ import annotations

from typing import Final

from lossguard.contracts.contract import Meaning
from lossguard.contracts.shapes import show
from lossguard.facts.facts import Rows
from lossguard.facts.observation import one_hot_axes
from lossguard.findings import Certainty, Finding, Fix, Step
from lossguard.rules.case import Case, Part
from lossguard.rules.rule import (
    CANNOT_TELL,
    HOLDS,
    Answer,
    Cost,
    Rule,
    breaks,
    changes_values,
    lossless,
    passes,
)
from lossguard.rules.saying import CLASS_LOSSES, TorchMessage

_SAMPLES: Final = "one axis only: labels of samples look the same, when the input has lost its class axis"


class OneHotTarget(Rule):
    """The target has one-hot rows where the loss needs one class index for each sample.

    Why it matters
        nll_loss takes class indices only. cross_entropy takes rows as well, but then in a floating dtype
        and with the classes on the same axis as the input has them.

    Usual causes
        `one_hot` or `LabelBinarizer`, as other libraries want it; a one-hot tensor left in int64; masks
        with the classes on the last axis.

    Fix safety
        `argmax` over the class axis is lossless for rows that have exactly one 1 and else 0: each row
        becomes the index of its 1.
    """

    code = "LG402"
    seek = "one-hot"
    cost = Cost.VALUES
    explains = frozenset({"LG101", "LG102", "LG103", "LG104", "LG109", "LG403", "LG404", "LG405", "LG401"})
    explains_everywhere = frozenset({"LG404"})
    says = (
        TorchMessage(
            "0D or 1D target tensor expected, multi-target not supported",
            versions="1.10 and later",
            shows="multi-target not supported",
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "Expected floating point type for target with class probabilities, got Long",
            versions="1.10 and later",
            shows="Expected floating point type for target with class probabilities, got {target_dtype:whole}",
            weight=60,
            because="a target of the input's shape is read as probabilities",
        ),
        TorchMessage(
            ("only batches of spatial targets supported (3D tensors) but got targets of size: : [2, 3, 3, 5]"),
            shows=(
                "only batches of spatial targets supported ({?non-empty }3D tensors) but got "
                "targets of {size|dimension}"
            ),
            certainty=Certainty.POSSIBLE,
        ),
        TorchMessage(
            "expected target dtype to be Long or Byte, but got Float",
            versions="2.12 and later",
            shows="expected target dtype to be Long or Byte, but got {target_dtype:float}",
            certainty=Certainty.POSSIBLE,
            weight=35,
        ),
        TorchMessage(
            "\"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for 'Float'",
            devices="CUDA",
            versions="1.10 to 2.11",
            shows="nll_loss{index} not implemented for {target_dtype:float}",
            certainty=Certainty.POSSIBLE,
            weight=35,
        ),
        TorchMessage(
            "expected scalar type Long but found Float",
            shows="expected scalar type Long but found {target_dtype:float}",
            ops=CLASS_LOSSES,
            certainty=Certainty.POSSIBLE,
            weight=30,
        ),
        TorchMessage(
            "Expected object of scalar type Long but got scalar type Float for argument #2 'target'",
            versions="1.0 to 1.9",
            shows=(
                "Expected object of scalar type Long but got scalar type {target_dtype:float} "
                "for argument #{n:number} 'target'"
            ),
            certainty=Certainty.POSSIBLE,
            weight=30,
        ),
        TorchMessage(
            (
                "ClassNLLCriterion_updateOutput received an invalid combination of arguments - "
                "got (int, torch.FloatTensor, torch.FloatTensor, ..."
            ),
            versions="0.3 and before",
            shows=(
                "ClassNLLCriterion_updateOutput received an invalid combination of arguments - "
                "got (int, torch.{?cuda.}{word}, torch.{?cuda.}{target_dtype:float}Tensor"
            ),
            certainty=Certainty.POSSIBLE,
            weight=30,
        ),
        TorchMessage(
            "Check failed: Size of broadcast_dimensions has to match operand's rank; operand rank: 2",
            devices="XLA",
            shows="Size of broadcast_dimensions has to match operands rank",
            ops=CLASS_LOSSES,
            certainty=Certainty.POSSIBLE,
            needs="operation",
        ),
    )
    verify = "print(target.shape, target.sum(-1).flatten()[:5])"
    remedies = (changes_values("take the index of the 1", "target.argmax(1)"),)
    examples = (
        breaks(
            "F.nll_loss",
            "torch.randn(3, 4).log_softmax(1), F.one_hot(torch.tensor([1, 3, 0]), 4).float()",
            "raises RuntimeError",
        ),
        breaks(
            "F.cross_entropy",
            "torch.randn(3, 4), F.one_hot(torch.tensor([1, 3, 0]), 4)",
            "raises RuntimeError",
        ),
        breaks(
            "F.cross_entropy",
            "torch.randn(2, 4, 3, 3), F.one_hot(torch.randint(4, (2, 3, 3)), 4).float()",
            "raises RuntimeError",
        ),
        passes("F.cross_entropy", "torch.randn(3, 4), F.one_hot(torch.tensor([1, 3, 0]), 4).float()"),
        passes("F.nll_loss", "torch.randn(3, 4).log_softmax(1), torch.tensor([1, 3, 0])"),
    )

    def look(self, case: Case) -> Answer:
        """Broken when rows stand on a class axis of the target, in a call that cannot take them."""
        target, given = case.target, case.input
        if target is None or given is None or case.meant.fits is None or target.facts.dtype is None:
            return CANNOT_TELL
        if target.facts.kind != "tensor" or case.meant.layout is None or (case.classes or 0) < 2:
            return HOLDS
        refused = case.meant.fits is False or case.takes(target, target.facts.dtype) is False
        class_axis = case.meant.layout.class_axis
        if not refused or class_axis is None:
            return HOLDS
        axes = one_hot_axes(given.facts.shape, target.facts.shape, class_axis)
        if not axes:
            return HOLDS
        if target.facts.rows is None:
            return self._describe(case, target, axes, Certainty.LIKELY)
        seen = zip(axes, (target.facts.rows, target.facts.last_rows), strict=False)
        proven = tuple(axis for axis, rows in seen if _are_one_hot(rows))
        return self._describe(case, target, proven, Certainty.CERTAIN) if proven else HOLDS

    def _describe(self, case: Case, target: Part, axes: tuple[int, ...], certainty: Certainty) -> Finding:
        shape = target.facts.shape or ()
        wanted = shape[: axes[0]] + shape[axes[0] + 1 :]
        soft = target.spec.meaning is Meaning.CLASS_PROBABILITIES
        said = f"in {target.facts.dtype}" if soft else f"of shape {show(shape)}"
        rows = "one-hot rows" if certainty is Certainty.CERTAIN else "one entry for each class"
        return self.finding(
            case,
            target,
            f"{case.loss} needs class indices of shape {show(wanted)}"
            f"{', or floating class probabilities' if soft else ''}; {target.name} has {rows} {said}",
            certainty=Certainty.LIKELY if len(shape) == 1 else certainty,
            cause=_SAMPLES if len(shape) == 1 else "",
            fixes=[_fix(target, axis, certainty) for axis in axes] if len(axes) == 1 else _either(target, axes),
        )


def _are_one_hot(rows: Rows | None) -> bool:
    return rows is not None and rows.read > 0 and rows.one_hot == rows.read


def _either(target: Part, axes: tuple[int, ...]) -> list[Fix]:
    """The rows are one-hot along two axes, and the labels differ: only who made them knows which is right."""
    return [
        changes_values(f"take the index of the 1, if the classes are on axis {axis}", f"{target.name}.argmax({axis})")
        for axis in reversed(axes)
    ]


def _fix(target: Part, axis: int, certainty: Certainty) -> Fix:
    code = f"{target.name}.argmax({axis})"
    if target.facts.shape is not None and len(target.facts.shape) == 1:
        return changes_values("take the index of the 1", code, "only if this is one sample, and not one label for each")
    if certainty is Certainty.CERTAIN:
        return lossless("take the index of the 1", code, "each row has exactly one 1", Step("argmax", axis))
    return changes_values("take the index of the 1", code, "the values are not known here")
