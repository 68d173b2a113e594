"""The batch that a program works on while its loader has gone ahead: prefetchers fetch the next one or two first.

Only the last batch of a loader is at hand. Those before it are made again from their index lists, after a fault and
within a short time, and looked into for the values that the loss got.
"""

from __future__ import annotations

import dataclasses
import time
import types
from collections.abc import Iterable, Sequence
from typing import Any, Final

from lossguard.tracing.batches import fields
from lossguard.tracing.batches.current_batches import in_use
from lossguard.tracing.batches.loaders import Delivery, Stream, streams_and_ended
from lossguard.tracing.batches.samples import Provenance
from lossguard.tracing.evidence.replay import run_plainly

#: The part of the time that is left, for making all batches again that may be in use.
_PATIENCE: Final = 0.2
#: So few values may well be the same in the next batch.
_FEW: Final = 64


def the_one_in_use(
    tensor: Any, last: Provenance | None, frames: Iterable[types.FrameType], deadline: float
) -> Provenance | None:
    """The one batch that holds `tensor`: the `last` of its loader, or one before it; None if it may be several."""
    if last is None:
        found = _find_earlier(tensor, streams_and_ended(), deadline)
        return found[0] if len(found) == 1 else None
    if last.field.is_same or tensor.numel() > _FEW or _is_worked_on(last, frames):
        return last
    return None if _find_earlier(tensor, [last.stream], deadline) else last


def _is_worked_on(source: Provenance, frames: Iterable[types.FrameType]) -> bool:
    """Whether the rest of the batch is among the live variables, or there is no rest by which to tell."""
    rest = [leaf for path, leaf in fields.leaves(source.stream.batch) if path != source.field.path]
    return not rest or bool(in_use([dataclasses.replace(source.stream, batch=rest)], (), frames))


def _find_earlier(tensor: Any, among: Iterable[Stream], deadline: float) -> list[Provenance]:
    """The batches, delivered before the last of their loader, that hold what `tensor` holds."""
    now = time.monotonic()
    deadline = now + _PATIENCE * (deadline - now)
    return [
        source
        for stream in among
        if not stream.is_iterable and stream.has_batch
        for delivery in stream.deliveries[1:]
        if _may_hold(stream, delivery, tensor)
        and (source := _made_again(stream, delivery, tensor, deadline)) is not None
    ]


def _may_hold(stream: Stream, delivery: Delivery, tensor: Any) -> bool:
    """Whether a field of the last batch has as many values for each sample as `tensor` would have in this one."""
    before, last = (_size(each, stream) for each in (delivery, stream.deliveries[0]))
    if before is None or last is None or not tensor.numel():
        return False
    sizes = {getattr(leaf, "numel", lambda: 0)() for _, leaf in fields.leaves(stream.batch)}
    return any(size * before == tensor.numel() * last for size in sizes)


def _size(delivery: Delivery, stream: Stream) -> int | None:
    """How many samples a batch was made of."""
    if not stream.batches:
        return None if delivery.indices is None else 1
    return len(delivery.indices) if isinstance(delivery.indices, Sequence) else None


def _made_again(stream: Stream, delivery: Delivery, tensor: Any, deadline: float) -> Provenance | None:
    def make() -> Any:
        if not stream.batches:
            return stream.collate(stream.fetch(delivery.indices))
        return stream.collate([stream.fetch(index) for index in delivery.indices])

    made = run_plainly(make, deadline)
    field = None if made.failure else fields.find_field(made.result, tensor)
    return None if field is None else Provenance(dataclasses.replace(stream, batch=made.result), delivery, field)
