"""What is done to an argument on the device, so that no kernel aborts or writes astray: a few launches, no waiting.

Sound values come through to the last bit, their gradients too. A launch costs more than the work in it, so there are
as few as torch's operations allow: three for indices, five with an ignore index or for real numbers.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch import Tensor

from lossguard.facts.torch_versions import has_saved_tensor_hooks
from lossguard.guard.calls.plans import Watched

#: Types with a `__torch_dispatch__` of their own that may be shielded all the same; tests put a fake device here.
SHIELDED_TYPES: Final[set[type]] = set()

_dispatch: Final = Tensor.__torch_dispatch__
_function: Final = Tensor.__torch_function__.__func__  # type: ignore[attr-defined]
_no_function: Final = torch._C._disabled_torch_function_impl  # noqa: SLF001 - the mark torch itself uses


def can_shield(value: Any) -> bool:
    """Whether `value` is a tensor on an accelerator whose values may be looked at there."""
    if not isinstance(value, Tensor) or value.is_cpu or value.is_meta or value.numel() == 0:
        return False
    kind = type(value)
    if kind is Tensor or kind in SHIELDED_TYPES:
        return True
    # A subclass with ways of its own would see what we do, or be lost by it.
    function: Any = kind.__torch_function__
    known = function is _no_function or getattr(function, "__func__", None) is _function
    return known and kind.__torch_dispatch__ is _dispatch


def is_capturing() -> bool:
    """Whether a graph of CUDA is being recorded: nothing of ours may get into it, and no event be asked."""
    return torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()


def shielded(value: Tensor, watched: Watched, flag: Tensor, lengths: Any = None) -> Tensor:
    """`value` with what lies outside replaced; whether there was any goes into `flag`."""
    with torch._C.DisableTorchFunction():  # noqa: SLF001 - the user's modes must not see this; the public twin leaves them
        plain = value.detach()
        clamped = plain.clamp(watched.least, watched.greatest)
        safe = clamped
        if watched.ignore is not None and not watched.least <= watched.ignore <= watched.greatest:
            safe = torch.where(plain == watched.ignore, plain, clamped)
        # NaN is not equal to itself, so it counts as outside.
        bad = safe != plain
        torch.any(bad if lengths is None else bad & _read(plain, lengths), out=flag)
        if not watched.lethal:
            return value
        if value.is_floating_point():
            if value.requires_grad and torch.is_grad_enabled() and has_saved_tensor_hooks():
                # A checkpoint runs this again later and counts what is saved for backward: it must find the same.
                return value
            safe = torch.where(bad, plain.new_full((), (watched.least + watched.greatest) / 2), value)
        if type(safe) is not type(value) and type(value).__torch_function__ is not _no_function:
            safe = safe.as_subclass(type(value))
        return safe


def _read(labels: Tensor, lengths: Any) -> Tensor:
    """Which labels of padded sequences are read: what lies beyond a length may be anything."""
    known = lengths.detach() if isinstance(lengths, Tensor) else torch.tensor(lengths, device="cpu")
    if labels.ndim != 2 or known.numel() != len(labels):
        return torch.ones_like(labels, dtype=torch.bool)
    places = torch.arange(labels.shape[1], device="cpu")
    if known.is_cpu:
        return _moved(places < known.reshape(-1, 1), labels)
    return _moved(places, labels) < known.reshape(-1, 1)


def _moved(tensor: Tensor, like: Tensor) -> Tensor:
    """A small tensor of the host beside `like`. Torch's own `.to` would wait for the device."""
    return like.new_empty(tensor.shape, dtype=tensor.dtype).copy_(tensor, non_blocking=True)
