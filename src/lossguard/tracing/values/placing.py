"""Where in a tensor of the batch an element of another tensor stands, told only where it is certain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Position = tuple[int, ...]


class Placing(Protocol):
    """How the elements of an argument of the loss are found again in a tensor of the batch."""

    def place(self, position: Sequence[int]) -> Position | None:
        """The position in the tensor of the batch; None if it is not certain."""


@dataclass(frozen=True, slots=True)
class InOrder:
    """All elements, in the same order, whatever the shape."""

    shape: Position
    field: Position

    def place(self, position: Sequence[int]) -> Position | None:
        """By counting."""
        return unravel(_ravel(position, self.shape), self.field)


@dataclass(frozen=True, slots=True)
class InMemory:
    """A view: both look at the same memory, each with its own offset and strides."""

    tensor: Any
    field: Any

    def place(self, position: Sequence[int]) -> Position | None:
        """By the address of the element."""
        address = self.tensor.storage_offset() + sum(
            step * stride for step, stride in zip(position, self.tensor.stride(), strict=True)
        )
        return _position_at(address - self.field.storage_offset(), tuple(self.field.shape), self.field.stride())


@dataclass(frozen=True, slots=True)
class Listed:
    """The number of the element in the field, for each element of the tensor."""

    order: Any
    field: Position

    def place(self, position: Sequence[int]) -> Position | None:
        """By looking it up; a number below zero stands for what is no element of the field."""
        number = int(self.order[tuple(position)])
        return None if number < 0 else unravel(number, self.field)


@dataclass(frozen=True, slots=True)
class Selected:
    """Some elements of the field, in an order that is not known: only what is there once is found."""

    tensor: Any
    field: Any

    def place(self, position: Sequence[int]) -> Position | None:
        """By the value, if no other element has it; else by the whole row, if no other row is the same."""
        whole, field = self.tensor.detach().cpu().double(), self.field.detach().cpu().double()
        found = _alike(field, whole[tuple(position)]).nonzero().tolist()
        if len(found) == 1:
            return tuple(found[0])
        if whole.dim() < 2 or tuple(whole.shape[1:]) != tuple(field.shape[1:]):
            return None
        rows = _alike(field, whole[position[0]]).flatten(1).all(1).nonzero().flatten().tolist()
        return (rows[0], *position[1:]) if len(rows) == 1 else None


def _alike(field: Any, value: Any) -> Any:
    """Where `field` has this value; NaN is like NaN."""
    return (field == value) | (field.isnan() & value.isnan())


def same_memory(field: Any, tensor: Any) -> InMemory | None:
    """How `tensor` is a view of `field`, or both are of a third; None if they share no element."""
    try:
        if field.dtype != tensor.dtype or field.device != tensor.device or not tensor.numel():
            return None
        shared = field.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr() != 0
        found = InMemory(tensor, field) if shared else None
        last = tuple(size - 1 for size in tensor.shape)
        inside = found is not None and found.place((0,) * tensor.dim()) is not None and found.place(last) is not None
    except (AttributeError, RuntimeError, NotImplementedError):
        return None
    return found if inside else None


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


def _ravel(position: Sequence[int], shape: Sequence[int]) -> int:
    flat = 0
    for step, size in zip(position, shape, strict=True):
        flat = flat * size + step
    return flat


def unravel(flat: int, shape: Position) -> Position:
    """The position of the element of this number."""
    position: list[int] = []
    for size in reversed(shape):
        flat, step = divmod(flat, size)
        position.append(step)
    return tuple(reversed(position))
