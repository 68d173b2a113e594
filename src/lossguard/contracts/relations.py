"""Demands on several shapes at once: broadcasting, and indices that lie within a tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from lossguard.contracts.contract import Relation
from lossguard.contracts.shapes import Shape


def holds(relation: Relation, shapes: Mapping[str, Shape | None]) -> bool | None:
    """Whether the shapes stand in this relation; None while one is unknown and not left out."""
    known = [shapes[name] for name in relation.arguments if name in shapes]
    if any(shape is None for shape in known) or len(known) < len(relation.arguments):
        return None if any(shape is None for shape in known) else True
    return _KINDS[relation.kind]([shape for shape in known if shape is not None], relation.axis)


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


_KINDS: Final[Mapping[str, Callable[[Sequence[Shape], int | None], bool]]] = {
    "broadcast": _broadcast,
    "expands": _expands,
    "same rank": _same_rank,
    "within": _within,
    "variance": _variance,
}
