"""Demands on several shapes at once: broadcasting, and indices that lie within a tensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from lossguard.contracts.contract import Relation
from lossguard.contracts.shapes import Shape, show


def holds(relation: Relation, shapes: Mapping[str, Shape | None]) -> bool | None:
    """Whether the shapes stand in this relation; None while one is unknown and not left out."""
    known = [shapes[name] for name in relation.arguments if name in shapes]
    if any(shape is None for shape in known) or len(known) < len(relation.arguments):
        return None if any(shape is None for shape in known) else True
    first = [] if relation.given is None else [relation.given]
    return _KINDS[relation.kind]([*first, *(shape for shape in known if shape is not None)], relation.axis)


def demand(relation: Relation, shapes: Mapping[str, Shape | None]) -> str:
    """What the relation asks for, in words."""
    first = relation.given if relation.given is not None else shapes.get(relation.arguments[0])
    shown = "" if first is None else f" to {show(first)}"
    if relation.kind == "slices" and (
        wanted := _sliced([shapes.get(name) for name in relation.arguments], relation.axis)
    ):
        return f"a shape of {' or '.join(map(show, wanted))}"
    if relation.kind == "mask" and (whole := shapes.get(relation.arguments[1])) is not None:
        size = len(first or ())
        return f"a mask of the shape that it lies over, {show(whole[relation.axis or 0 : (relation.axis or 0) + size])}"
    if relation.kind == "within":
        axis = "" if relation.axis is None else f" but {relation.axis}"
        return f"as many axes in {relation.arguments[0]} as in {relation.arguments[1]}, and none longer{axis}"
    return {
        "broadcast": "shapes that broadcast: counted from the last axis, sizes that are equal or 1",
        "expands": f"a shape that broadcasts{shown}: counted from the last axis, sizes that are equal or 1",
        "same rank": "equally many axes in " + ", ".join(relation.arguments),
        "variance": "the shape of input, or that without its last axis, or with 1 there",
        "axes": f"a tensor with {relation.axis} axes or more",
        "not empty": "at least one element",
    }.get(relation.kind, "shapes that fit")


def broadcast(shapes: Sequence[Shape]) -> Shape | None:
    """The shape that all of these broadcast to; None if they do not."""
    rank = max(map(len, shapes), default=0)
    result: list[int] = []
    for axis in range(rank):
        sizes = {shape[axis - rank + len(shape)] for shape in shapes if axis - rank + len(shape) >= 0} - {1}
        if len(sizes) > 1:
            return None
        result.append(sizes.pop() if sizes else 1)
    return tuple(result)


def _broadcast(shapes: Sequence[Shape], axis: int | None) -> bool:
    """All shapes broadcast together; with an axis, that one is left aside."""
    if axis is not None:
        if len({len(shape) for shape in shapes}) > 1 or not shapes[0]:
            return len({len(shape) for shape in shapes}) == 1
        place = axis % len(shapes[0])
        shapes = [shape[:place] + shape[place + 1 :] for shape in shapes]
    return broadcast(shapes) is not None


def _expands(shapes: Sequence[Shape], _axis: int | None) -> bool:
    """All later shapes broadcast to the first and make it no larger."""
    return broadcast(shapes) == shapes[0]


def _same_rank(shapes: Sequence[Shape], _axis: int | None) -> bool:
    return len({len(shape) for shape in shapes}) == 1


def _within(shapes: Sequence[Shape], axis: int | None) -> bool:
    """The first shape is no larger than the second on any axis, but for `axis`."""
    inner, outer = (shape or (1,) for shape in shapes)
    if 0 in inner:
        return True
    if len(inner) != len(outer):
        return False
    place = None if axis is None else axis % len(inner)
    return all(small <= large for d, (small, large) in enumerate(zip(inner, outer, strict=True)) if d != place)


def _variance(shapes: Sequence[Shape], _axis: int | None) -> bool:
    """The second shape is the first, or lacks its last axis, or differs from it in one axis of size 1."""
    shape, variance = shapes
    if variance in {shape, shape[:-1]}:
        return True
    return len(shape) == len(variance) and sum(y for x, y in zip(shape, variance, strict=True) if x != y) == 1


def _mask(shapes: Sequence[Shape], axis: int | None) -> bool:
    """The first shape is what the second has from `axis` on."""
    mask, whole = shapes
    start = axis or 0
    return whole[start : start + len(mask)] == mask


def _slices(shapes: Sequence[Shape], axis: int | None) -> bool:
    """The third shape has, along `axis`, one slice of the first for each entry of the second."""
    return shapes[2] in _sliced(shapes, axis)


def _sliced(shapes: Sequence[Shape | None], axis: int | None) -> list[Shape]:
    """The shapes that a source may have, given a tensor and the index into its `axis`."""
    whole, index = shapes[0], shapes[1]
    if whole is None or index is None or axis is None or not -max(len(whole), 1) <= axis < max(len(whole), 1):
        return []
    number = math.prod(index)
    if not whole:
        return [()] if number == 1 else []
    place = axis % len(whole)
    return [(*whole[:place], number, *whole[place + 1 :])]


def _scalar_slices(shapes: Sequence[Shape], axis: int | None) -> bool:
    """As `slices`, but one entry of a tensor with one axis may also be a scalar, and the other way round."""
    rest = shapes[0][1:] if len(shapes[0]) == 1 else None
    alone = math.prod(shapes[1]) == 1
    if alone and (rest == () or not shapes[0]) and shapes[2] in {(), (1,)}:
        return True
    if not shapes[0]:
        return shapes[2] == shapes[1] and len(shapes[1]) == 1
    return _slices(shapes, axis)


def _axes(shapes: Sequence[Shape], axis: int | None) -> bool:
    """There are at least as many axes as `axis` says."""
    return axis is None or len(shapes[0]) >= axis


def _not_empty(shapes: Sequence[Shape], _axis: int | None) -> bool:
    return 0 not in shapes[0]


_KINDS: Final[Mapping[str, Callable[[Sequence[Shape], int | None], bool]]] = {
    "broadcast": _broadcast,
    "expands": _expands,
    "same rank": _same_rank,
    "within": _within,
    "variance": _variance,
    "mask": _mask,
    "slices": _slices,
    "scalar slices": _scalar_slices,
    "axes": _axes,
    "not empty": _not_empty,
}
