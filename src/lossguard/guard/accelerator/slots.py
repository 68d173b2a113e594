"""A few bytes on the device and their twin on the host: how word gets home without waiting, and without new memory.

Pinned memory and events are dear to make, so a slot is used again once its word was read. One copy takes everything
that a call has to say: which arguments are bad, and what came out.
"""

from __future__ import annotations

import contextlib
from typing import Any, Final

import torch
from torch import Tensor

from lossguard.facts.torch_versions import event_on, has_accelerator

#: So many arguments of one call can be flagged; what comes out stands behind them.
FLAGS: Final = 8
_BYTES: Final = FLAGS + 4

#: Slots that nobody uses, for each device. Lists are popped and appended to in one step, so threads may share them.
_FREE: Final[dict[tuple[type, torch.device], list[Slot]]] = {}
#: No device has more slots at rest than this.
_KEPT: Final = 128


class Slot:
    """Flags and one number on the device, their copy on the host, and the event that says when the copy is there."""

    __slots__ = ("_device", "_event", "_home", "_host", "flags", "host_flags", "host_number", "number")

    def __init__(self, like: Tensor) -> None:
        self._home = _FREE.setdefault((type(like), like.device), [])
        # A buffer made in inference mode could not be written to outside of it.
        with torch.inference_mode(mode=False):
            self._device = like.detach().new_empty((_BYTES,), dtype=torch.uint8)
            self._host = _on_host((_BYTES,), torch.uint8)
            self.flags, self.number = _views(self._device)
            self.host_flags, self.host_number = _views(self._host)
        self._event = _event(like)

    def send(self) -> None:
        """Start the copy to the host."""
        self._host.copy_(self._device, non_blocking=True)
        if self._event is not None:
            self._event.record()

    def arrived(self) -> bool:
        """Whether the copy is there. Asking does not wait."""
        return self._event is None or bool(self._event.query())

    def wait(self) -> None:
        """Wait until the copy is there."""
        if self._event is not None:
            self._event.synchronize()

    def give_back(self) -> None:
        """Let the next call have this slot; its word must have been read."""
        if len(self._home) < _KEPT:
            self._home.append(self)


def take(like: Tensor) -> Slot:
    """A slot on the device of `like`: a used one if there is one."""
    free = _FREE.get((type(like), like.device))
    try:
        return free.pop() if free else Slot(like)
    except IndexError:  # another thread was faster
        return Slot(like)


def forget() -> None:
    """Let go of the slots at rest."""
    _FREE.clear()


class Shipment:
    """Tensors on their way to the host, in memory of their own."""

    def __init__(self, tensors: dict[str, Tensor]) -> None:
        self.tensors: dict[str, Tensor] = {}
        event: Any = None
        for name, tensor in tensors.items():
            if tensor.is_cpu:
                # It may be changed before it is looked at.
                self.tensors[name] = tensor.detach().clone()
                continue
            self.tensors[name] = _on_host(tuple(tensor.shape), tensor.dtype)
            self.tensors[name].copy_(tensor.detach(), non_blocking=True)
            event = event or _event(tensor)
        self._event = event
        if event is not None:
            event.record()

    def arrived(self) -> bool:
        """Whether all of them are there. Asking does not wait."""
        return self._event is None or bool(self._event.query())

    def wait(self) -> None:
        """Wait until they are there."""
        if self._event is not None:
            self._event.synchronize()


def _on_host(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Memory on the host that a device can write to by itself, where there is such memory."""
    if has_accelerator():
        with contextlib.suppress(RuntimeError):
            return torch.empty(shape, dtype=dtype, device="cpu", pin_memory=True)
    return torch.empty(shape, dtype=dtype, device="cpu")


def _event(like: Tensor) -> Any:
    """What tells that a copy is there; None on a device of tests, whose copies are there at once."""
    return event_on(like.device) if has_accelerator() else None


def _views(memory: Tensor) -> tuple[tuple[Tensor, ...], Tensor]:
    flags = memory.narrow(0, 0, FLAGS).view(torch.bool)
    number = memory.narrow(0, FLAGS, _BYTES - FLAGS).view(torch.float32)
    return tuple(flags.select(0, place) for place in range(FLAGS)), number.select(0, 0)
