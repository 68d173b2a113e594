"""Which sample of which dataset stands at a position of a target."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from lossguard.findings import Finding, Sample
from lossguard.paths import is_users
from lossguard.tracing.batches import fields
from lossguard.tracing.batches.following import SOME
from lossguard.tracing.batches.loaders import Delivery, Stream, streams_and_ended
from lossguard.tracing.values.placing import Listed, Placing, Selected

#: Words of a collate function that puts its samples in another order, or leaves some out.
_REORDERING: Final = frozenset(
    """sort sorted argsort shuffle permutation randperm sample choice reversed groupby nlargest nsmallest topk
    roll flip pop""".split()  # noqa: SIM905 - so many words read better as text
)
#: How far a collate function is followed into the functions that it calls.
_DEEP: Final = 3


@dataclass(frozen=True, slots=True)
class Provenance:
    """The loader's batch that an argument of the loss came in."""

    stream: Stream
    delivery: Delivery
    field: fields.Field

    @property
    def is_made_again(self) -> bool:
        """Whether this is a batch before the last one of its loader, made again from its indices."""
        return self.delivery is not self.stream.deliveries[0]

    @property
    def batch_axis_first(self) -> bool:
        """Whether the field is known to have one entry for each sample, in their order, along its first axis."""
        if not self.stream.batches:
            return True
        shape, size = tuple(self.field.value.shape), self._size()
        if not shape or size not in {None, shape[0]}:
            return False
        if size == 1 or is_torchs(self.stream.collate):
            return True
        return size not in shape[1:] and not _may_reorder(self.stream.collate)

    def _size(self) -> int | None:
        indices = self.delivery.indices
        return len(indices) if isinstance(indices, Sequence) and not self.stream.is_iterable else None

    def index_at(self, position: Sequence[int]) -> tuple[int | None, Any]:
        """The place in the batch and the loader's index for a position in the loss's tensor."""
        indices = self.delivery.indices
        place = self.field.placing.place(position)
        if place is None or not self.batch_axis_first:
            return None, None
        if not self.stream.batches:
            # What an iterable dataset is asked for is no index of anything.
            return None, None if self.stream.is_iterable else indices
        row = place[0] if place else None
        if row is None or self.stream.is_iterable or indices is None or not row < len(indices):
            return row, None
        return row, indices[row]


def is_torchs(collate: Any) -> bool:
    """Whether a batch is stacked by torch itself, sample by sample."""
    return str(getattr(collate, "__module__", "")).startswith("torch.utils.data")


def _may_reorder(collate: Any) -> bool:
    """Whether a collate function of the user's speaks of another order, as those that sort by length do."""
    return any(_REORDERING.intersection(code.co_names) for code in _codes(collate, 0))


def _codes(function: Any, depth: int) -> Iterator[types.CodeType]:
    """The code of a function or a callable object, of the functions in it, and of those of the user's that it names."""
    function = getattr(function, "func", function)
    kind = type(function)
    if not isinstance(function, types.FunctionType | types.MethodType):
        function = kind.__call__ if callable(function) else None
    plain = getattr(function, "__func__", function)
    code, names = getattr(plain, "__code__", None), getattr(plain, "__globals__", {})
    waiting = [code]
    while waiting:
        code = waiting.pop()
        if not isinstance(code, types.CodeType):
            continue
        yield code
        waiting.extend(code.co_consts)
        for name in code.co_names if depth < _DEEP and is_users(code.co_filename) else ():
            named = names.get(name, getattr(kind, name, None))
            if isinstance(named, types.FunctionType):
                yield from _codes(named, depth + 1)


def find_source(tensor: Any, follow: Callable[[Any], Any] | None = None) -> Provenance | None:
    """The delivered batch that holds `tensor`, looked for in the loaders used last.

    `follow` tells which elements of a field the tensor is made of, by the program: their numbers, SOME, or None.
    """
    ready = [stream for stream in streams_and_ended() if stream.has_batch and stream.deliveries]
    for stream in ready:
        if seen := fields.find_view(stream.batch, tensor):
            return Provenance(stream, stream.deliveries[0], seen[0]) if len(seen) == 1 else None
    for stream in ready if follow is not None else []:
        for path, leaf in fields.leaves(stream.batch):
            placing = _followed(tensor, leaf, follow)
            if placing is not None:
                return Provenance(
                    stream, stream.deliveries[0], fields.Field(path, leaf, is_same=False, placing=placing)
                )
    for stream in ready:
        found = fields.find_field(stream.batch, tensor)
        if found is not None:
            return Provenance(stream, stream.deliveries[0], found)
    return None


def _followed(tensor: Any, leaf: Any, follow: Callable[[Any], Any] | None) -> Placing | None:
    """How the elements of `tensor` are found in `leaf`, by the program that moved them; None if it does not tell."""
    if follow is None or not hasattr(leaf, "detach") or not leaf.numel():
        return None
    order = follow(leaf)
    if order is None:
        return None
    if order is SOME:
        return Selected(tensor, leaf)
    if tuple(order.shape) != tuple(tensor.shape):
        return None
    same = fields.is_equal(leaf.detach().cpu().reshape(-1)[order], tensor)
    return Listed(order, tuple(leaf.shape)) if same else None


def placed_samples(finding: Finding, tensor: Any, source: Provenance) -> tuple[Sample, ...]:
    """The finding's samples, with the batch and the index that each stands for."""
    samples = finding.samples
    if not samples and tensor.numel():
        first = (0,) * tensor.dim()
        samples = (Sample(value=tensor.reshape(-1)[0].item(), position=first),)
    return tuple(place(sample, tuple(tensor.shape), source) for sample in samples)


def place(sample: Sample, shape: tuple[int, ...], source: Provenance) -> Sample:
    """`sample` with what is known of where it came from."""
    if sample.position is None or len(sample.position) != len(shape):
        return sample
    row, index = source.index_at(sample.position)
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


def base_dataset(dataset: Any, index: Any) -> tuple[Any, Any]:
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
