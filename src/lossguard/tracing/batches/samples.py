"""Which field of which batch a tensor came from, and which sample of the dataset stands at a position of it."""

from __future__ import annotations

import dataclasses
import types
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from lossguard.findings import Finding, Sample
from lossguard.paths import is_users
from lossguard.tracing.batches.loaders import Delivery, Stream, streams_and_ended
from lossguard.tracing.values.placing import Placing, in_order, listed, same_memory, selected

Path = tuple[int | str, ...]

#: Stands for "elements of the field, but which of them cannot be told".
SOME: Final = type("Some", (), {"__repr__": lambda _: "SOME"})()
#: Larger tensors are not compared by value; a fault in them is still found, only not placed.
_LARGEST: Final = 100_000_000
_DEEPEST: Final = 6
_MOST_LEAVES: Final = 256
#: Words of a collate function that puts its samples in another order, or leaves some out.
_REORDERING: Final = frozenset(
    """sort sorted argsort shuffle permutation randperm sample choice reversed groupby nlargest nsmallest topk
    roll flip pop""".split()  # noqa: SIM905 - so many words read better as text
)
#: How far a collate function is followed into the functions that it calls.
_DEEP: Final = 3


@dataclass(frozen=True, slots=True)
class Field:
    """A tensor of a batch that is the argument of a loss, or was before a cast or a reshape."""

    path: Path
    value: Any
    #: How an element of the loss's tensor is found in this one.
    placing: Placing
    #: Whether it is the very tensor that the loss got, or a view of it.
    is_same: bool = False


@dataclass(frozen=True, slots=True)
class Provenance:
    """The loader's batch that an argument of the loss came in."""

    stream: Stream
    delivery: Delivery
    field: Field

    @property
    def is_made_again(self) -> bool:
        """Whether this is a batch before the last one of its loader, made again from its indices."""
        return self.delivery is not self.stream.deliveries[0]

    @property
    def batch_axis_first(self) -> bool:
        """Whether the field is known to have one entry for each sample, in their order, along its first axis."""
        if not self.stream.batches:
            return True
        shape, indices = tuple(self.field.value.shape), self.delivery.indices
        size = len(indices) if isinstance(indices, Sequence) and not self.stream.is_iterable else None
        if not shape or size not in {None, shape[0]}:
            return False
        if size == 1 or is_torchs(self.stream.collate):
            return True
        return size not in shape[1:] and not _may_reorder(self.stream.collate)

    @property
    def has_own_numbers(self) -> bool:
        """Whether each element of the field is the number of its own sample in the dataset."""
        rows = self.delivery.indices if self.stream.batches and self.batch_axis_first else None
        known = isinstance(rows, Sequence) and not self.stream.is_iterable
        return known and bool([base_of(self.stream.dataset, row)[1] for row in rows or ()] == self.field.value.tolist())

    def index_at(self, position: Sequence[int]) -> tuple[int | None, Any]:
        """The place in the batch and the loader's index for a position in the loss's tensor."""
        indices = self.delivery.indices
        place = self.field.placing(position)
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
    waiting, names = [getattr(plain, "__code__", None)], getattr(plain, "__globals__", {})
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


def leaves(batch: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Everything in `batch` that holds numbers, with its path."""
    if len(path) > _DEEPEST:
        return
    if hasattr(batch, "dtype") and hasattr(batch, "shape"):
        yield path, batch
        return
    parts: Any = ()
    if isinstance(batch, Mapping):
        parts = ((key, batch[key]) for key in list(batch)[:_MOST_LEAVES] if isinstance(key, str | int))
    elif isinstance(batch, list | tuple):
        parts = enumerate(batch[:_MOST_LEAVES])
    elif hasattr(batch, "__dict__") and (dataclasses.is_dataclass(batch) or not callable(batch)):
        parts = list(vars(batch).items())[:_MOST_LEAVES]
    for key, item in parts:
        yield from leaves(item, (*path, key))


def find_source(tensor: Any, follow: Callable[[Any], Any] | None = None) -> Provenance | None:
    """The delivered batch that holds `tensor`, looked for in the loaders used last.

    `follow` tells which elements of a field the tensor is made of, by the program: their numbers, SOME, or None.
    """
    ready = [stream for stream in streams_and_ended() if stream.has_batch and stream.deliveries]
    for way in (_viewed, lambda batch, tensor: _followed(batch, tensor, follow), _equal):
        for stream in ready:
            found = way(stream.batch, tensor)
            if found and (len(found) == 1 or way is _viewed):
                return Provenance(stream, stream.deliveries[0], found[0]) if len(found) == 1 else None
    return None


def find_field(batch: Any, tensor: Any) -> Field | None:
    """The one field of `batch` that `tensor` is, looks into, or was; None if there is none, or more than one."""
    found = _viewed(batch, tensor) or _equal(batch, tensor)
    return found[0] if len(found) == 1 else None


def _viewed(batch: Any, tensor: Any) -> list[Field]:
    """The fields of `batch` that `tensor` is, or is a view of."""
    shape = tuple(tensor.shape)
    for path, leaf in leaves(batch):
        if leaf is tensor:
            return [Field(path, leaf, in_order(shape, shape), is_same=True)]
    shared = [(path, leaf, same_memory(leaf, tensor)) for path, leaf in leaves(batch)]
    return [Field(path, leaf, placing, is_same=True) for path, leaf, placing in shared if placing is not None]


def _followed(batch: Any, tensor: Any, follow: Callable[[Any], Any] | None) -> list[Field]:
    """The first field whose elements the program has moved to where they are in `tensor`."""
    for path, leaf in leaves(batch) if follow is not None else ():
        order = follow(leaf) if follow is not None and hasattr(leaf, "detach") and leaf.numel() else None
        if order is SOME:
            return [Field(path, leaf, selected(tensor, leaf))]
        fits = order is not None and tuple(order.shape) == tuple(tensor.shape)
        if fits and is_equal(leaf.detach().cpu().reshape(-1)[order], tensor):
            return [Field(path, leaf, listed(order, tuple(leaf.shape)))]
    return []


def _equal(batch: Any, tensor: Any) -> list[Field]:
    """The fields of `batch` that hold the same numbers."""
    return [
        Field(path, leaf, in_order(tuple(tensor.shape), tuple(leaf.shape)))
        for path, leaf in leaves(batch)
        if is_equal(leaf, tensor)
    ]


def is_equal(leaf: Any, tensor: Any) -> bool:
    """Whether both hold the same numbers in the same order, whatever their dtype, device and shape."""
    import torch

    try:
        with torch.no_grad():
            both = (each if isinstance(each, torch.Tensor) else torch.as_tensor(each) for each in (leaf, tensor))
            ours, theirs = (each.detach().cpu().reshape(-1) for each in both)
            if ours.numel() != theirs.numel() or not 0 < ours.numel() <= _LARGEST:
                return False
            if torch.equal(*_aligned(ours, theirs)):
                return True
            return bool(ours.dtype != theirs.dtype and torch.equal(ours.to(theirs.dtype), theirs))
    except (AttributeError, RuntimeError, TypeError, ValueError, NotImplementedError):
        return False


def _aligned(ours: Any, theirs: Any) -> tuple[Any, Any]:
    """Both in one dtype that holds all their values, with NaN made comparable."""
    if not ours.is_floating_point() and not theirs.is_floating_point():
        return ours.long(), theirs.long()
    ours, theirs = ours.double(), theirs.double()
    if not ours.isnan().equal(theirs.isnan()):
        return ours, theirs
    return ours.nan_to_num(nan=0.0), theirs.nan_to_num(nan=0.0)


def placed_samples(finding: Finding, tensor: Any, source: Provenance) -> tuple[Sample, ...]:
    """The finding's samples, with the batch and the index that each stands for."""
    samples = finding.samples
    if not samples and tensor.numel():
        samples = (Sample(value=tensor.reshape(-1)[0].item(), position=(0,) * tensor.dim()),)
    return tuple(place(sample, tuple(tensor.shape), source) for sample in samples)


def place(sample: Sample, shape: tuple[int, ...], source: Provenance) -> Sample:
    """`sample` with what is known of where it came from."""
    if sample.position is None or len(sample.position) != len(shape):
        return sample
    row, index = source.index_at(sample.position)
    # A path as a user would write it: `batch["labels"][0]`.
    field = "batch" + "".join(f'["{key}"]' if isinstance(key, str) else f"[{key}]" for key in source.field.path)
    batch = source.stream.batch
    known = replace(sample, batch=source.delivery.number, field=field, key=_key_of(batch, row))
    if index is None:
        return known
    base, inner = base_of(source.stream.dataset, index)
    if not isinstance(inner, int):
        return replace(known, key=str(inner), dataset=type(base).__name__)
    outer = index if isinstance(index, int) and base is not source.stream.dataset else None
    return replace(known, index=inner, dataset=type(base).__name__, subset_index=outer)


def base_of(dataset: Any, index: Any) -> tuple[Any, Any]:
    """The dataset below all Subsets, and the index there."""
    from torch.utils.data import Subset

    index = _plain(index)
    while isinstance(dataset, Subset) and type(dataset).__getitem__ is Subset.__getitem__:
        dataset, index = dataset.dataset, _plain(dataset.indices[index])
    return dataset, index


def base_dataset(dataset: Any, index: Any) -> tuple[Any, Any]:
    """The dataset below all Subsets and ConcatDatasets, and the index there."""
    from torch.utils.data import ConcatDataset

    while True:
        dataset, index = base_of(dataset, index)
        if type(dataset) is not ConcatDataset:
            return dataset, index
        index = index + len(dataset) if index < 0 else index
        which = bisect_right(dataset.cumulative_sizes, index)
        index -= dataset.cumulative_sizes[which - 1] if which else 0
        dataset = dataset.datasets[which]


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
