"""Which sample of which dataset stands at a position of a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lossguard.findings import Finding, Sample
from lossguard.tracing import fields
from lossguard.tracing.loaders import Delivery, Stream, streams


@dataclass(frozen=True, slots=True)
class Source:
    """The loader's batch that an argument of the loss came in."""

    stream: Stream
    delivery: Delivery
    field: fields.Field

    @property
    def batch_axis_first(self) -> bool:
        """Whether the field has one entry for each sample along its first axis."""
        shape = tuple(self.field.value.shape)
        return not self.stream.batches or (bool(shape) and self._size() in {None, shape[0]})

    def _size(self) -> int | None:
        indices = self.delivery.indices
        return len(indices) if isinstance(indices, Sequence) and not self.stream.is_iterable else None

    def index_at(self, position: Sequence[int], shape: Sequence[int]) -> tuple[int | None, Any]:
        """The place in the batch and the loader's index for `position` in a tensor of `shape`."""
        place = _unravel(_ravel(position, shape), tuple(self.field.value.shape))
        indices = self.delivery.indices
        if not self.batch_axis_first:
            return None, None
        if not self.stream.batches:
            return None, indices
        row = place[0] if place else None
        if row is None or self.stream.is_iterable or indices is None or not row < len(indices):
            return row, None
        return row, indices[row]


def find_source(tensor: Any) -> Source | None:
    """The delivered batch that holds `tensor`, looked for in the loaders used last."""
    for stream in streams():
        if not stream.has_batch or not stream.deliveries:
            continue
        found = fields.find_field(stream.batch, tensor)
        if found is not None:
            return Source(stream, stream.deliveries[0], found)
    return None


def placed_samples(finding: Finding, tensor: Any, source: Source) -> tuple[Sample, ...]:
    """The finding's samples, with the batch and the index that each stands for."""
    samples = finding.samples
    if not samples and tensor.numel():
        first = (0,) * tensor.dim()
        samples = (Sample(value=tensor.reshape(-1)[0].item(), position=first),)
    return tuple(place(sample, tuple(tensor.shape), source) for sample in samples)


def place(sample: Sample, shape: tuple[int, ...], source: Source) -> Sample:
    """`sample` with what is known of where it came from."""
    if sample.position is None or len(sample.position) != len(shape):
        return sample
    row, index = source.index_at(sample.position, shape)
    known = replace(
        sample,
        batch=source.delivery.number,
        field=fields.shown(source.field.path),
        key=_key_of(source.stream.batch, row),
    )
    if index is None:
        return known
    base, inner = base_of(source.stream.dataset, index)
    if not isinstance(inner, int):
        return replace(known, key=str(inner), dataset=type(base).__name__)
    outer = index if isinstance(index, int) and base is not source.stream.dataset else None
    return replace(known, index=inner, dataset=type(base).__name__, subset_index=outer)


def base_of(dataset: Any, index: Any) -> tuple[Any, Any]:
    """The dataset below all Subsets, and the index there."""
    index = _plain(index)
    while _is_subset(dataset):
        dataset, index = dataset.dataset, _plain(dataset.indices[index])
    return dataset, index


def innermost(dataset: Any, index: Any) -> tuple[Any, Any]:
    """The dataset below all Subsets and ConcatDatasets, and the index there."""
    from bisect import bisect_right

    from torch.utils.data import ConcatDataset

    while True:
        dataset, index = base_of(dataset, index)
        if type(dataset) is not ConcatDataset:
            return dataset, index
        index = index + len(dataset) if index < 0 else index
        which = bisect_right(dataset.cumulative_sizes, index)
        index -= dataset.cumulative_sizes[which - 1] if which else 0
        dataset = dataset.datasets[which]


def _is_subset(dataset: Any) -> bool:
    from torch.utils.data import Subset

    return isinstance(dataset, Subset) and type(dataset).__getitem__ is Subset.__getitem__


def _plain(index: Any) -> Any:
    """An index as a plain int, where it is one in another dress."""
    if isinstance(index, bool | int) or not hasattr(index, "__index__"):
        return index
    try:
        return index.__index__()
    except (TypeError, ValueError, RuntimeError):
        return index


def _key_of(batch: Any, row: int | None) -> str:
    """The name that a sample carries itself, as WebDataset's do."""
    keys = batch.get("__key__") if isinstance(batch, dict) else None
    if isinstance(keys, list | tuple) and row is not None and row < len(keys):
        return str(keys[row])
    return keys if isinstance(keys, str) else ""


def _ravel(position: Sequence[int], shape: Sequence[int]) -> int:
    flat = 0
    for step, size in zip(position, shape, strict=True):
        flat = flat * size + step
    return flat


def _unravel(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    position: list[int] = []
    for size in reversed(shape):
        flat, step = divmod(flat, size)
        position.append(step)
    return tuple(reversed(position))
