"""Which field of a batch a tensor is, found by identity, by storage, or by value up to cast, device and reshape."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lossguard.tracing.values.placing import InOrder, Placing, same_memory

Key = int | str
Path = tuple[Key, ...]

#: Larger tensors are not compared by value; a fault in them is still found, only not placed.
_LARGEST: Final = 100_000_000
_DEEPEST: Final = 6
_MOST_LEAVES: Final = 256


@dataclass(frozen=True, slots=True)
class Field:
    """A tensor of a batch that is the argument of a loss, or was before a cast or a reshape."""

    path: Path
    value: Any
    #: Whether it is the very tensor that the loss got, or a view of it.
    is_same: bool
    #: How an element of the loss's tensor is found in this one.
    placing: Placing


def shown(path: Path, name: str = "batch") -> str:
    """The path as a user would write it: `batch["labels"][0]`."""
    return name + "".join(f'["{key}"]' if isinstance(key, str) else f"[{key}]" for key in path)


def leaves(batch: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Everything in `batch` that holds numbers, with its path."""
    if len(path) > _DEEPEST:
        return
    if _holds_numbers(batch):
        yield path, batch
    elif isinstance(batch, Mapping):
        for key in list(batch)[:_MOST_LEAVES]:
            if isinstance(key, str | int):
                yield from leaves(batch[key], (*path, key))
    elif isinstance(batch, list | tuple):
        for number, item in enumerate(batch[:_MOST_LEAVES]):
            yield from leaves(item, (*path, number))
    elif dataclasses.is_dataclass(batch) or (hasattr(batch, "__dict__") and not callable(batch)):
        for key, item in list(vars(batch).items())[:_MOST_LEAVES] if hasattr(batch, "__dict__") else ():
            yield from leaves(item, (*path, key))


def _holds_numbers(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "shape")


def find_field(batch: Any, tensor: Any) -> Field | None:
    """The one field of `batch` that `tensor` is, looks into, or was; None if there is none, or more than one."""
    same = find_view(batch, tensor)
    if same:
        return same[0] if len(same) == 1 else None
    equal = [
        Field(path, leaf, is_same=False, placing=InOrder(tuple(tensor.shape), tuple(leaf.shape)))
        for path, leaf in leaves(batch)
        if is_equal(leaf, tensor)
    ]
    return equal[0] if len(equal) == 1 else None


def find_view(batch: Any, tensor: Any) -> list[Field]:
    """The fields of `batch` that `tensor` is, or is a view of."""
    found: list[Field] = []
    for path, leaf in leaves(batch):
        if leaf is tensor:
            return [Field(path, leaf, is_same=True, placing=InOrder(tuple(tensor.shape), tuple(tensor.shape)))]
        if (shared := same_memory(leaf, tensor)) is not None:
            found.append(Field(path, leaf, is_same=True, placing=shared))
    return found


def is_equal(leaf: Any, tensor: Any) -> bool:
    """Whether both hold the same numbers in the same order, whatever their dtype, device and shape."""
    import torch

    try:
        with torch.no_grad():
            ours, theirs = _flat(leaf), _flat(tensor)
            if ours.numel() != theirs.numel() or not 0 < ours.numel() <= _LARGEST:
                return False
            if torch.equal(*_aligned(ours, theirs)):
                return True
            return bool(ours.dtype != theirs.dtype and torch.equal(ours.to(theirs.dtype), theirs))
    except (AttributeError, RuntimeError, TypeError, ValueError, NotImplementedError):
        return False


def _flat(value: Any) -> Any:
    import torch

    tensor = value.detach() if isinstance(value, torch.Tensor) else torch.as_tensor(value)
    return tensor.cpu().reshape(-1)


def _aligned(ours: Any, theirs: Any) -> tuple[Any, Any]:
    """Both in one dtype that holds all their values, with NaN made comparable."""
    import torch

    if not ours.is_floating_point() and not theirs.is_floating_point():
        return ours.long(), theirs.long()
    ours, theirs = ours.double(), theirs.double()
    nan = ours.isnan()
    if not torch.equal(nan, theirs.isnan()):
        return ours, theirs
    return ours.nan_to_num(nan=0.0), theirs.nan_to_num(nan=0.0)
