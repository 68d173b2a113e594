"""Which batches a DataLoader has delivered, and of which indices they were made.

A watch adds two small wrappers to torch's loader iterators. What is remembered hangs on the iterator itself and
dies with it: the index lists of batches in flight, those of the last few delivered, and the last batch, which is
let go as soon as the next one is asked for. Torch is imported by `install`, not by this module.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Self

#: Programs that look ahead (prefetchers, accelerate) use the batch before the last delivered one.
REMEMBERED: Final = 3
_NOTHING: Final = object()
_clock = itertools.count(1)
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Delivery:
    """One batch that a loader has handed out."""

    #: Counted from 0 in this pass over the data.
    number: int
    #: What the sampler gave: a list of indices, one index, or None when it is not known.
    indices: Any


@dataclass(slots=True)
class _Memory:
    """What is remembered of one iterator."""

    #: Of one with workers: the index lists of the batches they are making.
    flight: dict[int, Any] | None
    #: Of one without: the index list of the batch it is making.
    index: Any = None
    #: The index lists of the last batches handed out, the newest last.
    delivered: deque[Any] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    batch: Any = _NOTHING
    tick: int = 0


@dataclass(frozen=True, slots=True)
class Stream:
    """An iterator over a loader, as far as it has come."""

    iterator: Any
    #: The last batches handed out, the newest first; only the first of them is still at hand.
    deliveries: tuple[Delivery, ...]
    batch: Any
    has_batch: bool
    tick: int

    @property
    def dataset(self) -> Any:
        """The dataset, as the loader was given it."""
        return self.iterator._dataset  # noqa: SLF001 - torch offers no public name for it

    @property
    def collate(self) -> Callable[[Any], Any]:
        """The function that makes a batch of samples."""
        collate: Callable[[Any], Any] = self.iterator._collate_fn  # noqa: SLF001 - as above
        return collate

    def fetch(self, index: Any) -> Any:
        """One sample, as torch's own fetcher would get it."""
        many = getattr(self.dataset, "__getitems__", None) if self.batches else None
        return many([index])[0] if callable(many) else self.dataset[index]

    @property
    def batches(self) -> bool:
        """Whether samples are fetched one by one and collated, and not asked for as a whole."""
        return bool(self.iterator._auto_collation)  # noqa: SLF001 - as above

    @property
    def is_iterable(self) -> bool:
        """Whether the dataset is iterable-style, so that samples have no index."""
        return bool(self.iterator._dataset_kind)  # noqa: SLF001 - 0 is map-style, 1 is iterable


class LoaderWatch:
    """Remembers which samples the batches of every DataLoader are made of, from `install` to `remove`."""

    def __init__(self) -> None:
        self._installed = False

    def install(self) -> None:
        """Begin to watch; a second call changes nothing."""
        with _lock:
            if not self._installed:
                self._installed = True
                _patch.hold()

    def remove(self) -> None:
        """Stop watching. The last watch to go leaves torch as it was."""
        with _lock:
            if self._installed:
                self._installed = False
                _patch.release()

    def __enter__(self) -> Self:
        self.install()
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def streams() -> list[Stream]:
    """The iterators that have handed out batches and still live, the most recently used first."""
    found: list[Stream] = []
    for iterator in list(_iterators):
        memory = _memory_of(iterator)
        if memory is None or not memory.tick:
            continue
        newest = iterator.__dict__.get("_num_yielded", 0) - 1
        # What was handed out before this pass over the data began has no number in it.
        numbered = zip(range(newest, -1, -1), reversed(memory.delivered), strict=False)
        deliveries = tuple(Delivery(number, indices) for number, indices in numbered)
        has_batch = memory.batch is not _NOTHING
        found.append(Stream(iterator, deliveries, memory.batch if has_batch else None, has_batch, memory.tick))
    return sorted(found, key=lambda stream: -stream.tick)


_iterators: weakref.WeakSet[Any] = weakref.WeakSet()


def _memory_of(iterator: Any) -> _Memory | None:
    memory = iterator.__dict__.get("_lossguard_memory")
    return memory if isinstance(memory, _Memory) else None


def _remember(iterator: Any) -> _Memory:
    memory = _Memory({} if hasattr(iterator, "_task_info") else None)
    iterator._lossguard_memory = memory  # noqa: SLF001 - our own attribute on torch's iterator
    _iterators.add(iterator)
    return memory


class _Patch:
    """The two wrappers, put in once for all watches."""

    def __init__(self) -> None:
        self._holders = 0
        self._originals: dict[str, Any] = {}

    def hold(self) -> None:
        self._holders += 1
        if self._holders > 1:
            return
        from torch.utils.data.dataloader import _BaseDataLoaderIter as Iterator

        self._originals = {name: Iterator.__dict__[name] for name in ("__next__", "_next_index")}
        wrappers = {
            "__next__": _watched_next(self._originals["__next__"]),
            "_next_index": _watched_index(self._originals["_next_index"]),
        }
        for name, wrapper in wrappers.items():
            setattr(Iterator, name, wrapper)

    def release(self) -> None:
        self._holders -= 1
        if self._holders:
            return
        from torch.utils.data.dataloader import _BaseDataLoaderIter as Iterator

        for name, original in self._originals.items():
            setattr(Iterator, name, original)
        for iterator in list(_iterators):
            iterator.__dict__.pop("_lossguard_memory", None)
        _iterators.clear()


_patch = _Patch()


def _watched_index(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`_next_index`, which draws the next index list from the sampler."""

    def _next_index(self: Any) -> Any:
        index = original(self)
        try:
            memory = self._lossguard_memory
        except AttributeError:
            memory = _remember(self)
        flight = memory.flight
        if flight is None:
            memory.index = index
            return index
        task = self._send_idx
        if not task and flight:
            flight.clear()  # a new pass over the data begins, with nothing in flight
        flight[task] = index
        return index

    return _next_index


def _watched_next(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`__next__`, which hands out a batch."""

    def __next__(self: Any) -> Any:  # noqa: N807 - stands in for the method of this name
        try:
            memory = self._lossguard_memory
        except AttributeError:
            memory = _remember(self)
        memory.batch = _NOTHING
        try:
            memory.batch = data = original(self)
        except Exception:
            if memory.flight:
                _forget_failed(memory.flight, self)
            raise
        memory.tick = next(_clock)
        flight = memory.flight
        if flight is None:
            memory.delivered.append(memory.index)
        else:
            in_order = getattr(self, "_in_order", True)
            memory.delivered.append(flight.pop(self._rcvd_idx - 1 if in_order else _out_of_order(flight, self), None))
        return data

    return __next__


def _gone(flight: dict[int, Any], iterator: Any) -> list[int]:
    """The tasks that were sent out and are no longer waited for."""
    return [task for task in flight if task not in iterator._task_info and task < iterator._send_idx]  # noqa: SLF001 - torch has no public names for them


def _out_of_order(flight: dict[int, Any], iterator: Any) -> int:
    """The task whose batch has just been handed out, where batches overtake each other; -1 if it is unclear."""
    gone = _gone(flight, iterator)
    return gone[0] if len(gone) == 1 else -1


def _forget_failed(flight: dict[int, Any], iterator: Any) -> None:
    """Let go of the indices of a batch that could not be made."""
    for task in _gone(flight, iterator):
        del flight[task]
