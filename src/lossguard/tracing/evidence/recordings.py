"""What was recorded of one call of a function of the user's: its lines, and what each of them wrote.

Of a value a copy is kept if it is small data, and a weak reference otherwise: nothing large lives longer because it was
recorded, and no code of the user's runs to keep a value.
"""

from __future__ import annotations

import itertools
import sys
import time
import types
import weakref
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lossguard.interruptions import let_through
from lossguard.tracing.evidence.releasing import NO_STACK, release
from lossguard.tracing.evidence.replay import Activation, Visit
from lossguard.tracing.program.writes import Writes
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.layers import seeks_shapes

#: Arrays, frames and lists are copied up to this many elements, and so many of all copies together are kept; those that
#: are larger have as much room of their own, so that they take none from the small ones.
SMALL: Final = 20_000
LARGE: Final = 500_000
MOST: Final = 4_000_000
_DEEP: Final = 3
#: A container of other things than numbers and texts is copied up to this length.
_SHORT: Final = 256
_PLAIN: Final[frozenset[type]] = frozenset({int, float, bool, str, type(None), complex, range, slice, type, type(...)})
#: A line of one call is looked at so often; after so many lines of one frame nothing is recorded for a while.
VISITS: Final = 8
HOT: Final = 3_000


@dataclass(slots=True)
class Kept:
    """A value that is not kept itself: a weak reference, or a container of kept values."""

    reference: weakref.ref[Any] | None = None
    #: How often a tensor had been changed in place.
    version: int = 0
    container: type | None = None
    items: Any = None
    #: The class of what the reference is to, and the shape and the dtype of a tensor; they outlive the value.
    kind: type | None = None
    form: tuple[Any, Any] | None = None

    def get(self) -> Any:
        """The value; if it is gone or has changed since, its form where only that matters, else UNKNOWN."""
        if self.container is dict:
            return {key: resolved(value) for key, value in self.items.items()}
        if self.container is not None:
            return self.container(map(resolved, self.items))
        value = self.reference() if self.reference is not None else None
        if value is not None and version_of(value) == self.version:
            return value
        if self.form is None or not seeks_shapes():
            return UNKNOWN
        return _torch().empty(self.form[0], dtype=self.form[1], device="meta")


def is_tensor_class(kind: type) -> bool:
    """Whether a class is that of a tensor. It is looked into and not asked, so that no code of the user's runs."""
    return any("detach" in vars(base) for base in kind.__mro__)


def version_of(value: Any) -> int:
    """How often a tensor was changed in place; 0 for what does not count that."""
    try:
        if not is_tensor_class(type(value)):
            return 0
        with _unseen():
            return int(value._version)  # noqa: SLF001 - it has no public name
    except (RuntimeError, AttributeError, TypeError, KeyError):
        return 0  # made in inference mode, or a class


def resolved(kept: Any) -> Any:
    """What was kept, as a value."""
    return kept.get() if type(kept) is Kept else kept


class Keeper:
    """Keeps values within a budget of elements."""

    def __init__(self, most: int = MOST) -> None:
        self._left = {SMALL: most, LARGE: most}

    def keep(self, value: Any, depth: int = 0) -> Any:
        """A copy, a weak reference, or the value itself if it is a plain number or text."""
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is list or kind is tuple or kind is dict or kind is set:
            return self._container(value, kind, depth)
        home = kind.__module__.partition(".")[0]
        if home == "torch" and hasattr(value, "detach"):
            return self._tensor(value)
        if home in {"numpy", "pandas"}:
            return self._data(value)
        return _weak(value)

    def _room(self, size: int) -> bool:
        tier = SMALL if size <= SMALL else LARGE
        fits = size <= min(tier, self._left[tier])
        self._left[tier] -= size if fits else 0
        return fits

    def _container(self, value: Any, kind: type, depth: int) -> Any:
        if kind is set and not _all_plain(value):
            return UNKNOWN
        plain = _all_plain(value.values() if kind is dict else value)
        if (not plain and (depth >= _DEEP or len(value) > _SHORT)) or not self._room(len(value)):
            return UNKNOWN
        if plain:
            return value if kind is tuple else kind(value)
        if kind is dict:
            return Kept(container=dict, items={key: self.keep(item, depth + 1) for key, item in value.items()})
        return Kept(container=kind, items=[self.keep(item, depth + 1) for item in value])

    def _tensor(self, value: Any) -> Any:
        with _unseen():
            plain = type(value).__name__ == "Tensor" and value.layout is _torch().strided
            if not plain or not _is_quiet():
                return _weak(value)
            if value.device.type != "cpu" or not self._room(value.numel()):
                return _weak(value, (value.shape, value.dtype))
            return value.detach().clone()

    def _data(self, value: Any) -> Any:
        size, of_numpy = getattr(value, "size", None), type(value).__module__ == "numpy"
        if not isinstance(size, int) or not hasattr(value, "copy") or callable(value):
            return value if of_numpy and not hasattr(value, "__dict__") else _weak(value)
        if of_numpy and not getattr(value, "shape", ()):
            return value
        return value.copy() if self._room(size) else _weak(value)


def _all_plain(items: Any) -> bool:
    """Whether there are only numbers and texts in it, one by one or in tuples of them."""
    if len(items) > SMALL:
        return False
    return all(
        type(item) in _PLAIN or (type(item) is tuple and all(type(part) in _PLAIN for part in item)) for item in items
    )


def _weak(value: Any, form: tuple[Any, Any] | None = None) -> Any:
    if isinstance(value, types.ModuleType | type):
        return value
    try:
        return Kept(weakref.ref(value), version_of(value), kind=type(value), form=form)
    except TypeError:
        return UNKNOWN


def _torch() -> Any:
    return sys.modules["torch"]


def _unseen() -> Any:
    """Subclasses and modes of the program do not see what is asked of a tensor inside."""
    return _torch()._C.DisableTorchFunction()  # noqa: SLF001 - the public twin leaves modes on


def _is_quiet() -> bool:
    """Whether a copy of a tensor is seen by nobody: no mode, transform, profiler or compiler looks at operations."""
    core = _torch()._C  # noqa: SLF001 - modes and transforms have no public list
    lookers = (
        core._len_torch_dispatch_stack,  # noqa: SLF001 - as above
        core._len_torch_function_stack,  # noqa: SLF001 - as above
        core._functorch.peek_interpreter_stack,  # noqa: SLF001 - as above
        core._get_tracing_state,  # noqa: SLF001 - as above
        core._autograd._profiler_enabled,  # noqa: SLF001 - as above
        _torch().compiler.is_compiling,
    )
    return not any(looker() for looker in lookers)


class _Before(Mapping[str, Any]):
    """The names of a call as they were before one of its lines, read when they are asked for."""

    __slots__ = ("_number", "_of")

    def __init__(self, of: Recording, number: int) -> None:
        self._of = of
        self._number = number

    def __getitem__(self, name: str) -> Any:
        found = self._of.kept_before(name, self._number)
        if found is None:
            raise KeyError(name)
        return resolved(found[0])

    def __iter__(self) -> Iterator[str]:
        return iter(self._of.history)

    def __len__(self) -> int:
        return len(self._of.history)


class Recording(Activation):
    """One call of a function of the user's, recorded while the program ran."""

    def __init__(self, frame: types.FrameType, owner: Any, lines: Mapping[int, Writes], parent: Any) -> None:
        visit = len(parent.visits) - 1 if parent is not None else -1
        #: For each name what was written into it, with the number of the line that did.
        self.history: dict[str, list[tuple[int, Any]]] = {}
        self.owner = owner
        self.lines = lines
        self.clocks: list[int] = []
        self._counts: dict[int, int] = {}
        self._lost: dict[int, None] = {}
        self._line: int | None = None
        self._events = 0.0
        #: What was written last into each name: the object, and how often it had been changed in place.
        self._stamps: dict[str, tuple[int, int] | None] = {}
        #: Whether lines were left out, so that what ran last is not known.
        self.is_broken = False
        super().__init__(frame.f_code, frame.f_globals, parent, visit, _Before(self, 0))
        if frame.f_code.co_name != "<module>":
            start = time.thread_time()
            for name, value in frame.f_locals.items():
                self.history[name] = [(-1, owner.keep(value))]
            owner.spent += time.thread_time() - start

    #: What the call returned, kept as everything else is; UNKNOWN if it is gone.
    returned = property(lambda self: resolved(self._returned), lambda self, value: setattr(self, "_returned", value))

    def before(self, number: int) -> Mapping[str, Any]:
        """The names as they were before a line, or at the end."""
        return _Before(self, number)

    def changes(self, name: str, number: int) -> list[tuple[int, Any, Any]]:
        """The lines before `number` that may have changed what a name holds, with before and after, the last first."""
        written = [entry for entry in self.history.get(name, []) if entry[0] < number]
        pairs = itertools.pairwise(written)
        return [(after[0], resolved(before[1]), resolved(after[1])) for before, after in pairs][::-1]

    def kept_before(self, name: str, number: int) -> tuple[Any] | None:
        """What was kept of a name before a line; None if nothing was written into it."""
        written = self.history.get(name)
        place = bisect_left(written, number, key=lambda entry: entry[0]) if written else 0
        return (written[place - 1][1],) if written and place else None

    def handle(self, name: str, number: int) -> weakref.ref[Any] | None:
        """The weak reference to the object that a name held before a line, which may be gone; None if it is kept."""
        found = self.kept_before(name, number)
        return found[0].reference if found is not None and type(found[0]) is Kept else None

    def follow(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        """Called by Python for the lines of this call and when it returns. Nothing is raised into the program."""
        try:
            try:
                self._follow(frame, event, argument)
            finally:
                release(frame)
        except NO_STACK:
            sys.settrace(None)
        except Exception as error:  # noqa: BLE001 - objects of any make; a program that is watched goes on
            self.owner.stop()
            let_through(error)
        return self.follow

    def _follow(self, frame: types.FrameType, event: str, argument: Any) -> None:
        if event == "line":
            # A turn of a comprehension, which from Python 3.12 on is no call of its own, is one line with the others.
            turn = frame.f_lineno == self._line
            self._events += 0.25 if turn else 1.0
            if not turn:
                self._begin(frame)
            if not self._events % HOT:
                self.owner.rest(frame)
        elif event == "return":
            self._write(frame)
            self._recover(frame)
            self.returned, self.ended = self.owner.keep(argument), True
            if frame.f_code.co_name == "<module>":
                self._visit(0)

    def _begin(self, frame: types.FrameType) -> None:
        """A line ends, and the next one begins."""
        self._write(frame)
        self._line = frame.f_lineno
        if self.owner.always and self._counts.get(self._line, 0) >= VISITS:
            self._forget()
        count = self._counts.get(self._line, 0)
        if count >= VISITS:
            self._lost[self._line] = None
        else:
            self._recover(frame)
            self._counts[self._line] = count + 1
            self._visit(self._line)

    def _visit(self, line: int) -> None:
        self.visits.append(Visit(line, _Before(self, len(self.visits))))
        self.clocks.append(self.owner.tick())

    def _write(self, frame: types.FrameType) -> None:
        """Keep what the line wrote that has just ended."""
        line, self._line = self._line, None
        writes = self.lines.get(line) if line is not None and line not in self._lost else None
        if writes is not None:
            start = time.thread_time()
            self._keep(frame, writes)
            self.owner.spent += time.thread_time() - start

    def _keep(self, frame: types.FrameType, writes: Writes) -> None:
        names, number = frame.f_locals, len(self.visits) - 1
        for name in writes.names:
            if name in names:
                self._note(name, names[name], number)
        for name in writes.touched:
            value = names.get(name, UNKNOWN)
            stamp = _stamp(value)
            if name in self.history and _may_change(value) and (stamp is None or self._stamps.get(name) != stamp):
                for alias in [other for other, same in names.items() if same is value and other in self.history]:
                    self._note(alias, value, number)
        for root, attribute in writes.attributes:
            own = getattr(names.get(root), "__dict__", None)
            for held in (own, own.get("_modules")) if isinstance(own, dict) else ():
                if isinstance(held, dict) and attribute in held:
                    self.owner.wrote(names[root], attribute, held[attribute], (self, number))

    def _note(self, name: str, value: Any, number: int) -> None:
        self.history.setdefault(name, []).append((number, self.owner.keep(value)))
        self._stamps[name] = _stamp(value)

    def made_call(self, frame: types.FrameType) -> None:
        """A line calls a function of the user's: it is looked at, also if it has been looked at often."""
        if self._line is not None and self._line in self._lost:
            self._recover(frame)
            self._visit(self._line)

    def _forget(self) -> None:
        """Keep of each line its last few visits, and what was written up to them."""
        numbers: dict[int, list[int]] = {}
        for number, visit in enumerate(self.visits):
            numbers.setdefault(visit.line, []).append(number)
        kept = sorted(number for own in numbers.values() for number in own[-VISITS // 2 :])
        self._counts = Counter(self.visits[number].line for number in kept)
        self.visits[:] = [self.visits[number] for number in kept]
        self.clocks[:] = [self.clocks[number] for number in kept]
        for number, visit in enumerate(self.visits):
            visit.before = _Before(self, number)
            for call in visit.calls:
                call.parent_visit = number if call.parent is self else call.parent_visit
        for name, written in self.history.items():
            # What was written at a line that is forgotten was there at the next one that is kept.
            moved = {bisect_right(kept, number) - 1: value for number, value in written}
            self.history[name] = sorted(moved.items(), key=lambda entry: entry[0])
        self.owner.renumber(self, {old: new for new, old in enumerate(kept)})

    def _recover(self, frame: types.FrameType) -> None:
        """A loop that was no longer looked at has ended: its lines ran once more, with values that are not known."""
        lost, self._lost = list(self._lost), {}
        for line in lost:
            self._visit(line)
            for name in self.lines.get(line, Writes()).names:
                self.history.setdefault(name, []).append((len(self.visits) - 2, UNKNOWN))
        for line in lost:
            self._keep(frame, self.lines.get(line, Writes()))


def _may_change(value: Any) -> bool:
    """Whether a value can be changed in place and is data. Its class is asked, so that no code of its own runs."""
    return isinstance(value, list | dict | set) or hasattr(type(value), "dtype") or hasattr(type(value), "columns")


def _stamp(value: Any) -> tuple[int, int] | None:
    """Tells a tensor that was not changed in place; None for what does not count its changes."""
    return (id(value), version_of(value)) if is_tensor_class(type(value)) else None
