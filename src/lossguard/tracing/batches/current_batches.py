"""Which delivered batches the program works on at this moment.

Of a loader only the last batch is at hand, and prefetchers fetch the next one or two first. Those before the last are
made again from their index lists, after a fault and within a short time, and looked into for the values of the loss.
"""

from __future__ import annotations

import ast
import time
import types
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from lossguard.operations.roles import LOADERS, NUMBERING, PROGRESS
from lossguard.tracing.batches.loaders import Delivery, Stream, streams_and_ended
from lossguard.tracing.batches.samples import Provenance, find_field, is_equal, leaves
from lossguard.tracing.evidence.replay import run_plainly
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.values.placing import same_memory
from lossguard.tracing.values.projecting import is_stream_of

#: No more tensors of one frame are compared.
_MANY: Final = 64
#: The part of the time that is left, for making all batches again that may be in use.
_PATIENCE: Final = 0.2
#: So few values may well be the same in the next batch.
_FEW: Final = 64


def in_use(streams: Iterable[Stream], arguments: Iterable[Any], frames: Iterable[types.FrameType]) -> list[Stream]:
    """The streams whose last batch is in use: a tensor of it is among the live variables, up to a cast.

    A program that looks ahead has fetched the next batch already; its values would mislead.
    """
    alive = [*_tensors(arguments), *(tensor for frame in frames for tensor in _tensors(frame.f_locals.values()))]
    return [stream for stream in streams if stream.has_batch and _is_among(stream.batch, alive)]


def _is_among(batch: Any, alive: list[Any]) -> bool:
    pairs = [(leaf, tensor) for _, leaf in leaves(batch) for tensor in alive]
    return any(leaf is tensor or same_memory(leaf, tensor) for leaf, tensor in pairs) or any(
        is_equal(leaf, tensor) for leaf, tensor in pairs
    )


def looped_over(streams: Iterable[Stream], moments: Iterable[Statement | None]) -> list[Stream]:
    """The streams that the loops around the live statements run over: their names have what was delivered last."""
    found: list[Stream] = []
    waiting = [stream for stream in streams if stream.has_batch]
    for moment in filter(None, moments) if waiting else ():
        node: ast.AST | None = moment.statement
        while isinstance(node, ast.stmt):
            over = node.iter if isinstance(node, ast.For) else ast.Constant(None)
            while isinstance(over, ast.Call) and called_name(over) in NUMBERING | PROGRESS and over.args:
                over = over.args[0]  # without what counts the turns or shows them
            loader = moment.evaluate(over)
            if isinstance(over, ast.Call) and called_name(over) in LOADERS and len(waiting) == 1:
                loader = waiting[0].iterator
            found.extend(stream for stream in waiting if loader is not None and is_stream_of(stream.iterator, loader))
            node = moment.scope.source.parents.get(node)
    return found


def _tensors(values: Iterable[Any]) -> list[Any]:
    """The tensors among `values`, and those one step inside."""
    inner = [
        item
        for value in list(values)
        for item in list(
            value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else (value,)
        )[:16]
    ]
    return [item for item in inner if hasattr(item, "numel") and hasattr(item, "detach")][:_MANY]


def the_one_in_use(
    tensor: Any, last: Provenance | None, frames: Iterable[types.FrameType], deadline: float
) -> Provenance | None:
    """The one batch that holds `tensor`: the `last` of its loader, or one before it; None if it may be several."""
    now = time.monotonic()
    soon = now + _PATIENCE * (deadline - now)
    if last is None:
        found = list(_earlier(tensor, streams_and_ended(), soon))
        return found[0] if len(found) == 1 else None
    if last.field.is_same or tensor.numel() > _FEW:
        return last
    # Whether the rest of the batch is among the live variables, or there is no rest by which to tell.
    rest = [leaf for path, leaf in leaves(last.stream.batch) if path != last.field.path]
    if not rest or in_use([replace(last.stream, batch=rest)], (), frames):
        return last
    return None if any(_earlier(tensor, [last.stream], soon)) else last


def _earlier(tensor: Any, among: Iterable[Stream], deadline: float) -> Iterator[Provenance]:
    """The batches, delivered before the last of their loader, that hold what `tensor` holds."""
    for stream in among:
        for delivery in stream.deliveries[1:] if not stream.is_iterable and stream.has_batch else ():
            if _may_hold(stream, delivery, tensor):
                made = run_plainly(partial(_made_again, stream, delivery), deadline)
                field = None if made.failure else find_field(made.result, tensor)
                if field is not None:
                    yield Provenance(replace(stream, batch=made.result), delivery, field)


def _may_hold(stream: Stream, delivery: Delivery, tensor: Any) -> bool:
    """Whether a field of the last batch has as many values for each sample as `tensor` would have in this one."""
    before, last = (_size(each, stream) for each in (delivery, stream.deliveries[0]))
    if before is None or last is None or not tensor.numel():
        return False
    sizes = {getattr(leaf, "numel", lambda: 0)() for _, leaf in leaves(stream.batch)}
    return any(size * before == tensor.numel() * last for size in sizes)


def _size(delivery: Delivery, stream: Stream) -> int | None:
    """How many samples a batch was made of."""
    if not stream.batches:
        return None if delivery.indices is None else 1
    return len(delivery.indices) if isinstance(delivery.indices, Sequence) else None


def _made_again(stream: Stream, delivery: Delivery) -> Any:
    indices = delivery.indices
    return stream.collate([stream.fetch(index) for index in indices] if stream.batches else stream.fetch(indices))
