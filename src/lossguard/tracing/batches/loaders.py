"""Which batches a DataLoader has delivered, and of which indices they were made.

A watch changes two methods of torch's loader iterators in place. What is remembered hangs on the iterator itself: the
index lists of batches in flight, those of the last few delivered, and the last batch, which is let go as soon as the
next one is asked for; what is large in it lives no longer than in the program. An exception that leaves a loop takes
the iterator with it, and only then is the program's end looked at: of the last few that ended so the index lists stay,
and nothing else. Torch is imported by `install`, not by this module.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Self

from lossguard.inplace import Function, InPlace, can_be_changed

#: Programs that look ahead (prefetchers, accelerate) use the batch before the last delivered one.
REMEMBERED: Final = 3
_NOTHING: Final = object()
#: A batch with more bytes than this is not kept alive.
_KEPT_BYTES: Final = 1 << 25
#: So many levels of lists and dictionaries in a batch are looked into, and so many things on each.
_LEVELS: Final = 4
_LOOKED_AT: Final = 4096
_clock = itertools.count(1)
_lock = threading.Lock()
_watches: set[LoaderWatch] = set()
_iterators: weakref.WeakSet[Any] = weakref.WeakSet()
#: The memories of the iterators made last, unless they came to their end.
_recent: deque[_Memory] = deque(maxlen=REMEMBERED)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One batch that a loader has handed out."""

    #: Counted from 0 in this pass over the data.
    number: int
    #: What the sampler gave: a list of indices, one index, or None when it is not known.
    indices: Any


@dataclass(slots=True, weakref_slot=True, eq=False)
class _Memory:
    """What is remembered of one iterator."""

    #: Of one with workers: the index lists of the batches they are making.
    flight: dict[int, Any] | None
    #: Of one without: the index list of the batch it is making.
    index: Any = None
    #: The index lists of the last batches handed out, the newest last.
    delivered: deque[Any] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    batch: Any = _NOTHING
    #: Whether what is large in the batch is there only as a weak reference.
    is_thin: bool = False
    tick: int = 0
    yielded: int = 0
    remains: _Remains | None = None


class _Remains:
    """What an iterator was made of, for the time after it: it keeps nothing alive."""

    def __init__(self, iterator: Any, memory: _Memory) -> None:
        collate = iterator._collate_fn  # noqa: SLF001 - torch offers no public names for them
        self._auto_collation, self._dataset_kind = iterator._auto_collation, iterator._dataset_kind  # noqa: SLF001 - as above
        # A list has no weak reference; the sampler, which lives as long as the loader, has it as well.
        plain, sampler = type(iterator._dataset) in {list, tuple}, weakref.ref(iterator._index_sampler)  # noqa: SLF001 - as above
        self._own_dataset = (lambda: _sampled(sampler())) if plain else weakref.ref(iterator._dataset)  # noqa: SLF001 - as above
        self._own_collate = weakref.WeakMethod(collate) if hasattr(collate, "__self__") else weakref.ref(collate)
        faint = weakref.ref(memory)
        self.iterator = weakref.ref(iterator, lambda _: _let_go(faint()))

    _dataset = property(lambda self: self._own_dataset())
    _collate_fn = property(lambda self: self._own_collate())

    @property
    def is_whole(self) -> bool:
        """Whether the iterator is gone, and what it ran over is not."""
        return self.iterator() is None and self._dataset is not None and self._collate_fn is not None


def _sampled(sampler: Any) -> Any:
    """The data that a sampler of torch's draws from, alone or in batches."""
    return getattr(getattr(sampler, "sampler", sampler), "data_source", None)


def _let_go(memory: _Memory | None) -> None:
    if memory is not None:
        memory.batch, memory.is_thin = _thinned(memory.batch, _LEVELS, 0), True


@dataclass(frozen=True, slots=True)
class Stream:
    """An iterator over a loader, as far as it has come."""

    iterator: Any
    #: The dataset and the function that makes a batch of samples, as the loader was given them.
    dataset: Any
    collate: Callable[[Any], Any]
    #: Whether samples are fetched one by one and collated, and not asked for as a whole.
    batches: bool
    #: Whether the dataset is iterable-style, so that samples have no index.
    is_iterable: bool
    #: The last batches handed out, the newest first; only the first of them is still at hand.
    deliveries: tuple[Delivery, ...]
    batch: Any
    has_batch: bool

    def fetch(self, index: Any) -> Any:
        """One sample, as torch's own fetcher would get it."""
        many = getattr(self.dataset, "__getitems__", None) if self.batches else None
        return many([index])[0] if callable(many) else self.dataset[index]


class LoaderWatch:
    """Remembers which samples the batches of every DataLoader are made of, from `install` to `remove`."""

    def install(self) -> None:
        """Begin to watch; a second call changes nothing."""
        with _lock:
            for method in _changed_methods() if not _watches else ():
                method.put_in()
            _watches.add(self)

    def remove(self) -> None:
        """Stop watching. The last watch to go leaves torch as it was."""
        with _lock:
            if self not in _watches:
                return
            _watches.remove(self)
            if _watches:
                return
            for method in _changed_methods():
                method.take_out()
            for iterator in list(_iterators):
                iterator.__dict__.pop("_lossguard_memory", None)
            _iterators.clear()
            _recent.clear()

    def __enter__(self) -> Self:
        self.install()
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def streams() -> list[Stream]:
    """The iterators that have handed out batches and still live, the most recently used first."""
    return _streams((iterator, iterator.__dict__.get("_lossguard_memory")) for iterator in list(_iterators))


def streams_and_ended() -> list[Stream]:
    """The same, and after them those that an exception or a `break` ended, of which the index lists are left."""
    gone = [(memory.remains, memory) for memory in list(_recent) if memory.remains and memory.remains.is_whole]
    return [*streams(), *_streams(gone)]


def _streams(known: Iterable[tuple[Any, _Memory | None]]) -> list[Stream]:
    found: list[Stream] = []
    used = [(iterator, memory) for iterator, memory in known if memory is not None and memory.tick]
    for iterator, memory in sorted(used, key=lambda pair: -pair[1].tick):
        # What was handed out before this pass over the data began has no number in it.
        numbered = zip(range(memory.yielded - 1, -1, -1), reversed(memory.delivered), strict=False)
        deliveries = tuple(Delivery(number, indices) for number, indices in numbered)
        has_batch = memory.batch is not _NOTHING
        batch = _alive(memory.batch) if memory.is_thin else memory.batch
        dataset, collate = iterator._dataset, iterator._collate_fn  # noqa: SLF001 - torch offers no public names for them
        kinds = bool(iterator._auto_collation), bool(iterator._dataset_kind)  # noqa: SLF001 - as above; 1 is iterable
        found.append(Stream(iterator, dataset, collate, *kinds, deliveries, batch if has_batch else None, has_batch))
    return found


def _remember(iterator: Any) -> _Memory:
    memory = _Memory({} if hasattr(iterator, "_task_info") else None)
    iterator._lossguard_memory = memory  # noqa: SLF001 - our own attribute on torch's iterator
    _iterators.add(iterator)
    with contextlib.suppress(TypeError, AttributeError):
        memory.remains = _Remains(iterator, memory)
        _recent.append(memory)
    return memory


#: What the methods do meanwhile. No frame of ours stays in a traceback.
_BODY: Final = """
    try:
        return _lossguard_watched({arguments})
    except BaseException as _lossguard_error:
        BaseException.with_traceback(_lossguard_error, _lossguard_error.__traceback__.tb_next.tb_next)
        raise
"""


@functools.cache
def _changed_methods() -> list[InPlace]:
    """The methods that hand out a batch and that draw an index list, unless somebody has put others there."""
    from torch.utils.data.dataloader import _BaseDataLoaderIter as Iterator

    def watched(wrap: Callable[[Function], Function], original: Function) -> dict[str, Any]:
        return {"watched": wrap(original)}

    wraps = {"__next__": _watched_next, "_next_index": _watched_index}
    methods: dict[str, Any] = {name: vars(Iterator).get(name) for name in wraps}
    if not all(map(can_be_changed, methods.values())):
        return []
    return [InPlace(methods[name], _BODY, functools.partial(watched, wrap)) for name, wrap in wraps.items()]


def _bytes_in(part: Any, levels: int) -> int:
    """How much memory the tensors and arrays of a batch hold on to."""
    if hasattr(part, "untyped_storage"):
        try:
            return int(part.untyped_storage().nbytes())
        except (NotImplementedError, RuntimeError):
            return 0
    if isinstance(part, str | bytes | int | float | None) or not levels:
        return 0
    if hasattr(part, "nbytes"):
        return int(part.nbytes) if isinstance(part.nbytes, int) else 0
    held = part if isinstance(part, list | tuple | dict) else getattr(part, "__dict__", {})
    inside = itertools.islice(held.values() if isinstance(held, dict) else held, _LOOKED_AT)
    return sum(_bytes_in(each, levels - 1) for each in list(inside))


def _thinned(part: Any, levels: int, limit: int) -> Any:
    """The same lists, tuples and dictionaries, with weak references in the place of what is large in them."""
    if type(part) in {list, tuple} and levels:
        return type(part)(_thinned(each, levels - 1, limit) for each in part)
    if type(part) is dict and levels:
        return {key: _thinned(each, levels - 1, limit) for key, each in part.items()}
    if _bytes_in(part, levels) <= limit:
        return part
    try:
        return weakref.ref(part)
    except TypeError:
        return None


def _alive(part: Any) -> Any:
    """A thinned batch as it was; None in place of what the program has let go of."""
    if isinstance(part, weakref.ref):
        return part()
    if type(part) is dict:
        return {key: _alive(each) for key, each in part.items()}
    return type(part)(map(_alive, part)) if type(part) in {list, tuple} else part


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
            data = original(self)
            memory.is_thin = _bytes_in(data, _LEVELS) > _KEPT_BYTES
            memory.batch = _thinned(data, _LEVELS, _KEPT_BYTES) if memory.is_thin else data
        except Exception as error:
            for task in _gone(memory.flight, self) if memory.flight else ():
                del memory.flight[task]  # the indices of a batch that could not be made
            if isinstance(error, StopIteration) and memory in _recent:
                _recent.remove(memory)
            raise
        memory.tick = next(_clock)
        memory.yielded = self._num_yielded
        flight = memory.flight
        if flight is None:
            memory.delivered.append(memory.index)
        else:
            # Where batches overtake each other, it may be unclear which task has just been handed out.
            gone = [self._rcvd_idx - 1] if getattr(self, "_in_order", True) else _gone(flight, self)
            memory.delivered.append(flight.pop(gone[0], None) if len(gone) == 1 else None)
        return data

    return __next__


def _gone(flight: dict[int, Any], iterator: Any) -> list[int]:
    """The tasks that were sent out and are no longer waited for."""
    return [task for task in flight if task not in iterator._task_info and task < iterator._send_idx]  # noqa: SLF001 - torch has no public names for them
