"""A device that does not exist, to prove without one what a guard does on an accelerator.

`Elsewhere` is a tensor whose data lives on the CPU and that calls itself CUDA. It counts everything the host would have
to wait for, and every kernel that is launched, and it aborts where a CUDA kernel would. `OnMetal` calls itself MPS,
whose kernels look at no value: a call with a bad one gives zeros.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self

import torch
from torch.utils._pytree import tree_map_only

from lossguard.guard.accelerator import shielding, slots

_WAITS = frozenset({"_local_scalar_dense", "nonzero", "item", "equal", "is_nonzero", "unique"})
#: What launches no kernel: it makes memory, or another look at it.
_FREE = frozenset(
    {"detach", "view", "expand", "select", "narrow", "slice", "new_empty", "empty", "alias", "t", "unsqueeze"}
)
_ASSERTED = re.compile(
    r"out of (bounds|range|DATA bounds)|between 0 and 1|smaller than num_classes|must be non-negative"
)


class DeviceAssert(BaseException):
    """What a failed assertion in a kernel does to a process."""


class Elsewhere(torch.Tensor):
    """A tensor on a device that counts how often the host must wait for it."""

    waits: ClassVar[list[str]] = []
    launched: ClassVar[list[str]] = []
    place: ClassVar[str] = "cuda:0"
    asserts: ClassVar[bool] = True
    held: torch.Tensor

    def __new__(cls, inner: torch.Tensor) -> Self:
        """A tensor that says it is on the device."""
        made: Self = torch.Tensor._make_wrapper_subclass(
            cls,
            inner.shape,
            strides=inner.stride(),
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            device=torch.device(cls.place),
            requires_grad=inner.requires_grad,
        )
        made.held = inner.detach()
        return made

    def __init__(self, inner: torch.Tensor) -> None:
        del inner

    def __repr__(self) -> str:  # type: ignore[override]
        return f"{type(self).__name__}({self.held})"

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        name = func.overloadpacket.__name__
        if name in _WAITS:
            cls.waits.append(name)
        inner_args = tree_map_only(cls, lambda tensor: tensor.held, args)
        inner_kwargs = tree_map_only(cls, lambda tensor: tensor.held, kwargs)
        if name == "copy_" and not (isinstance(args[0], cls) and isinstance(args[1], cls)):
            if not (kwargs.get("non_blocking") or (len(args) > 2 and args[2])):
                cls.waits.append("blocking copy")
            inner_args[0].copy_(inner_args[1])
            return args[0]
        if name == "_to_copy" and torch.device(kwargs.get("device") or "cuda").type == "cpu":
            cls.waits.append("to the host")
            return inner_args[0].clone()
        if name not in _FREE:
            cls.launched.append(name)
        if inner_kwargs.get("device") is not None:
            inner_kwargs["device"] = "cpu"
        result = cls._run(func, inner_args, inner_kwargs)
        if name.endswith("_") and not name.startswith("_"):
            return args[0]
        return kwargs["out"] if "out" in kwargs else tree_map_only(torch.Tensor, cls, result)

    @classmethod
    def _run(cls, func: Any, args: Any, kwargs: Any) -> Any:
        try:
            return func(*args, **kwargs)
        except (IndexError, RuntimeError) as error:
            if not _ASSERTED.search(str(error)):
                raise
            if cls.asserts:
                raise DeviceAssert(str(error)) from None
        shapes = func(*tree_map_only(torch.Tensor, lambda tensor: tensor.to("meta"), args), **kwargs)
        return tree_map_only(torch.Tensor, lambda tensor: torch.zeros(tensor.shape, dtype=tensor.dtype), shapes)


class OnMetal(Elsewhere):
    """A tensor on a device whose kernels look at nothing."""

    waits: ClassVar[list[str]] = []
    launched: ClassVar[list[str]] = []
    place = "mps:0"
    asserts = False


@contextmanager
def devices() -> Iterator[None]:
    """Let the guard shield tensors of these devices, and start counting."""
    kinds = (Elsewhere, OnMetal)
    for kind in kinds:
        shielding.SHIELDED_TYPES.add(kind)
        kind.waits.clear()
        kind.launched.clear()
    slots.forget()
    yield
    shielding.SHIELDED_TYPES.difference_update(kinds)
    slots.forget()
