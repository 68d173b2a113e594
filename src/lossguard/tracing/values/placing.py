"""Where in a tensor of the batch an element of another tensor stands, told only where it is certain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Position = tuple[int, ...]
#: The position in a tensor of the batch of the element at a position in the loss's; None if it is not certain.
Placing = Callable[[Sequence[int]], Position | None]


def in_order(shape: Position, field: Position) -> Placing:
    """All elements, in the same order, whatever the shape."""
    ours, theirs = _strides(shape), _strides(field)
    return lambda position: _position_at(_offset(position, ours), field, theirs)


def listed(order: Any, field: Position) -> Placing:
    """By the number of each element in the field; one below zero stands for what is no element of it."""
    return lambda position: _position_at(int(order[tuple(position)]), field, _strides(field))


def selected(tensor: Any, field: Any) -> Placing:
    """Some elements, in an order that is not known: by a value or a whole row that is there only once."""

    def place(position: Sequence[int]) -> Position | None:
        whole, held = (each.detach().cpu().double() for each in (tensor, field))
        found = _alike(held, whole[tuple(position)]).nonzero().tolist()
        if len(found) == 1:
            return tuple(found[0])
        if whole.dim() < 2 or tuple(whole.shape[1:]) != tuple(held.shape[1:]):
            return None
        rows = _alike(held, whole[position[0]]).flatten(1).all(1).nonzero().flatten().tolist()
        return (rows[0], *position[1:]) if len(rows) == 1 else None

    return place


def _alike(field: Any, value: Any) -> Any:
    """Where `field` has this value; NaN is like NaN."""
    return (field == value) | (field.isnan() & value.isnan())


def same_memory(field: Any, tensor: Any) -> Placing | None:
    """How `tensor` is a view of `field`, or both are of a third; None if they share no element."""

    def place(position: Sequence[int]) -> Position | None:
        address = tensor.storage_offset() + _offset(position, tensor.stride())
        return _position_at(address - field.storage_offset(), tuple(field.shape), field.stride())

    try:
        if field.dtype != tensor.dtype or field.device != tensor.device or not tensor.numel():
            return None
        shared = field.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr() != 0
        ends = ((0,) * tensor.dim(), tuple(size - 1 for size in tensor.shape))
        return place if shared and all(place(end) is not None for end in ends) else None
    except (AttributeError, RuntimeError, NotImplementedError):
        return None


def _strides(shape: Position) -> Position:
    """How far apart the elements of each axis lie, in memory without gaps."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= size
    return tuple(strides)


def _offset(position: Sequence[int], strides: Sequence[int]) -> int:
    return sum(step * stride for step, stride in zip(position, strides, strict=True))


def _position_at(offset: int, shape: Position, strides: Sequence[int]) -> Position | None:
    """The one position that an offset belongs to; None if there is none, or if elements lie on one another."""
    position = [0] * len(shape)
    for axis in sorted(range(len(shape)), key=lambda axis: -strides[axis]):
        if shape[axis] > 1 and strides[axis] == 0:
            return None
        if shape[axis] > 1:
            position[axis], offset = divmod(offset, strides[axis])
    inside = all(0 <= step < size for step, size in zip(position, shape, strict=True))
    return tuple(position) if inside and offset == 0 else None
