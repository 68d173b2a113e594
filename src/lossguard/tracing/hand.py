"""Which delivered batches the program works on at this moment."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any

from lossguard.tracing import fields
from lossguard.tracing.loaders import Stream
from lossguard.tracing.placing import same_memory

#: No more tensors of one frame are compared.
_MANY = 64


def in_use(streams: Iterable[Stream], arguments: Iterable[Any], frames: Iterable[types.FrameType]) -> list[Stream]:
    """The streams whose last batch is in use: a tensor of it is among the live variables, up to a cast.

    A program that looks ahead has fetched the next batch already; its values would mislead.
    """
    alive = [*_tensors(arguments), *(tensor for frame in frames for tensor in _tensors(frame.f_locals.values()))]
    found: list[Stream] = []
    for stream in streams:
        leaves = [leaf for _, leaf in fields.leaves(stream.batch)] if stream.has_batch else []
        if any(leaf is tensor or same_memory(leaf, tensor) for leaf in leaves for tensor in alive) or any(
            fields.is_equal(leaf, tensor) for leaf in leaves for tensor in alive
        ):
            found.append(stream)
    return found


def _tensors(values: Iterable[Any]) -> Iterator[Any]:
    """The tensors among `values`, and those one step inside."""
    count = 0
    for value in list(values):
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else (value,)
        for item in list(inner)[:16]:
            if hasattr(item, "numel") and hasattr(item, "detach"):
                count += 1
                if count > _MANY:
                    return
                yield item
