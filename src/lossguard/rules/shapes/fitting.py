"""Whether a call would fit if one shape were another: the question behind every shape rule."""

from __future__ import annotations

from lossguard.contracts.interpretation import interpret
from lossguard.contracts.shapes import Shape
from lossguard.rules.case import Case


def misfit(case: Case) -> tuple[Shape, Shape] | None:
    """The shapes of input and target, if both are known and do not fit together."""
    if case.meant.fits is not False or case.input is None or case.target is None:
        return None
    shape, target = case.input.facts.shape, case.target.facts.shape
    are_tensors = {case.input.facts.kind, case.target.facts.kind} <= {"tensor", None}
    return None if shape is None or target is None or not are_tensors else (shape, target)


def would_fit(case: Case, shape: Shape, target: Shape) -> bool:
    """Whether the loss takes class indices of shape `target` for an input of this shape."""
    if case.input is None or case.target is None:
        return False
    meant = interpret(case.contract, {**case.shapes, case.input.name: shape, case.target.name: target})
    return meant.fits is True and meant.reading is case.meant.reading


def without(shape: Shape, axis: int) -> Shape:
    """The shape with one axis taken out."""
    return shape[:axis] + shape[axis + 1 :]


def moved(shape: Shape, source: int, to: int) -> Shape:
    """The shape with one axis put at another place."""
    rest = without(shape, source)
    return (*rest[:to], shape[source], *rest[to:])
