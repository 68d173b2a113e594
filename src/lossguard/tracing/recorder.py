"""A recorder: what the lines of the user's own files read and wrote, from the start of the program.

It follows frames of the user's files only, keeps copies of small values and weak references to all others, looks at a
line a few times and then no more, and ends by itself: when every loss has been called, or when its budget is used up.
It does not begin where somebody else traces. What it has seen is the surest evidence for the walk back.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import sys
import threading
import time
import types
import weakref
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from lossguard.paths import is_users
from lossguard.tracing.evaluating import UNKNOWN
from lossguard.tracing.keeping import MOST, Keeper, Kept, resolved, version_of
from lossguard.tracing.program.writes import Writes, writes_of
from lossguard.tracing.replay import Activation, Visit

#: A line of one call is looked at so often.
VISITS: Final = 8
#: A function is followed so often.
CALLS: Final = 400
#: After so many lines of one frame, or calls that are no longer followed, nothing is recorded for a while.
_HOT: Final = 3_000
_REST: Final = 0.05
#: Seconds that all recording together may take, and what an event is reckoned to take.
SECONDS: Final = 1.5
_PER_CALL: Final = 0.6e-6
_INLINE: Final = frozenset({"<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>"})


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

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._of.kept_before(name, self._number) is not None


class Recording(Activation):
    """One call of a function of the user's, recorded while the program ran."""

    __slots__ = (
        "_counts",
        "_events",
        "_line",
        "_lost",
        "_returned",
        "_stamps",
        "clocks",
        "history",
        "is_broken",
        "lines",
        "owner",
    )

    def __init__(self, frame: types.FrameType, owner: Recorder, lines: Mapping[int, Writes], parent: Any) -> None:
        # What Python reads when it makes the record: what was returned is kept as everything else is.
        self._returned: Any = None
        visit = len(parent.visits) - 1 if parent is not None else -1
        #: For each name what was written into it, with the number of the line that did.
        self.history: dict[str, list[tuple[int, Any]]] = {}
        self.owner = owner
        self.lines = lines
        self.clocks: list[int] = []
        self._counts: dict[int, int] = {}
        self._lost: dict[int, None] = {}
        self._line: int | None = None
        self._events = 0
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

    @property
    def returned(self) -> Any:
        """What the call returned; UNKNOWN if it is gone."""
        return resolved(self._returned)

    @returned.setter
    def returned(self, value: Any) -> None:
        self._returned = value

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
            self._follow(frame, event, argument)
        except Exception:  # noqa: BLE001 - objects of any make; a program that is watched goes on
            self.owner.stop()
        return self.follow

    def _follow(self, frame: types.FrameType, event: str, argument: Any) -> None:
        if event == "line":
            self._events += 1
            self._write(frame)
            self._line = frame.f_lineno
            if self.owner.always and self._counts.get(self._line, 0) >= VISITS:
                self._forget()
            count = self._counts.get(self._line, 0)
            if count >= VISITS:
                self._lost[self._line] = None
            else:
                if self._lost:
                    self._recover(frame)
                self._counts[self._line] = count + 1
                self._visit(self._line)
            if not self._events % _HOT:
                self.owner.rest(frame)
        elif event == "return":
            self._write(frame)
            self._recover(frame)
            self.returned, self.ended = self.owner.keep(argument), True
            if frame.f_code.co_name == "<module>":
                self._visit(0)

    def _visit(self, line: int) -> None:
        self.visits.append(Visit(line, _Before(self, len(self.visits))))
        self.clocks.append(self.owner.tick())

    def _write(self, frame: types.FrameType) -> None:
        """Keep what the line wrote that has just ended."""
        line, self._line = self._line, None
        if line is None or line in self._lost:
            return
        writes = self.lines.get(line)
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
            if (
                name in self.history
                and _may_change(value)
                and (_stamp(value) is None or self._stamps.get(name) != _stamp(value))
            ):
                for alias in [other for other, same in names.items() if same is value and other in self.history]:
                    self._note(alias, value, number)
        for root, attribute in writes.attributes:
            own = getattr(names.get(root), "__dict__", None)
            if isinstance(own, dict) and attribute in own:
                self.owner.wrote(names[root], attribute, own[attribute], (self, number))

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
        kept: list[int] = []
        self._counts = {}
        for number in range(len(self.visits) - 1, -1, -1):
            line = self.visits[number].line
            if self._counts.get(line, 0) < VISITS // 2:
                self._counts[line] = self._counts.get(line, 0) + 1
                kept.insert(0, number)
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


class Recorder:
    """The trace function, and all that it has kept."""

    def __init__(self, *, always: bool = False) -> None:
        #: Whether it goes on when every loss has been called, and whatever it takes.
        self.always = always
        self.spent = 0.0
        self.modules: dict[int, Recording] = {}
        #: By the weak reference to an object, of which there is one, and the name of its attribute.
        self._attributes: dict[tuple[int, str], list[tuple[int, weakref.ref[Any], Any, tuple[Recording, int]]]] = {}
        self._keeper = Keeper(MOST if not always else sys.maxsize)
        self._clock = 0
        self._calls = 0
        self._idle = 0
        self._woken = 0.0
        #: Where the calls stood that ran when a rest began.
        self._standing: dict[Recording, int] = {}
        self._users: dict[str, bool] = {}
        self._codes: dict[int, list[Any]] = {}
        self._process = os.getpid()
        self._hook = self._make_hook()
        #: Whether it recorded when a look began, which nothing of it follows.
        self._was_on = False

    def start(self, frame: types.FrameType | None = None) -> bool:
        """Begin, unless somebody else traces; also with the user's frames that run already, from `frame` outwards."""
        if sys.gettrace() is not None:
            return False
        sys.settrace(self._hook)
        while frame is not None:
            if frame.f_trace is None:
                frame.f_trace = self.trace(frame, "call", None)
            frame = frame.f_back
        return True

    @property
    def is_on(self) -> bool:
        """Whether it still records."""
        return sys.gettrace() is self._hook

    @property
    def is_fresh(self) -> bool:
        """Whether all that ran until now was recorded."""
        return self._was_on or self.is_on

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Record nothing for as long as it lasts: a look at what was recorded."""
        self._was_on = self.is_on
        if self._was_on:
            sys.settrace(None)
        try:
            yield
        finally:
            if self._was_on:
                sys.settrace(self._hook)
            self._was_on = False

    def stop(self) -> None:
        """Record nothing more, and keep what there is."""
        if self.is_on:
            sys.settrace(None)
        if self._wake in gc.callbacks:
            gc.callbacks.remove(self._wake)

    def keep(self, value: Any) -> Any:
        """What is kept of a value."""
        return self._keeper.keep(value)

    def tick(self) -> int:
        """The next moment of the clock by which all lines are ordered."""
        self._clock += 1
        return self._clock

    def wrote(self, owner: Any, name: str, value: Any, where: tuple[Recording, int]) -> None:
        """An attribute of an object was set."""
        try:
            held = weakref.ref(owner)
        except TypeError:
            return
        self._attributes.setdefault((id(held), name), []).append((self._clock, held, self.keep(value), where))

    def renumber(self, recording: Recording, numbers: Mapping[int, int]) -> None:
        """Lines of a call have new numbers; those that have none are forgotten."""
        for key, written in self._attributes.items():
            self._attributes[key] = [
                (when, held, value, (own, numbers[number] if own is recording else number))
                for when, held, value, (own, number) in written
                if own is not recording or number in numbers
            ]

    def attribute(self, owner: Any, name: str, clock: float) -> tuple[Any] | None:
        """What an attribute of an object held at a time; None if nobody was seen to set it before.

        An object that is gone is given by the weak reference to it.
        """
        for when, _, value, _ in reversed(self._written(owner, name)):
            if when < clock:
                return (resolved(value),)
        return None

    def _written(self, owner: Any, name: str) -> list[tuple[int, weakref.ref[Any], Any, tuple[Recording, int]]]:
        try:
            held = owner if isinstance(owner, weakref.ref) else weakref.ref(owner)
        except TypeError:
            return []
        return self._attributes.get((id(held), name), [])

    def setters(self, owner: Any, name: str, clock: float) -> list[tuple[Recording, int]]:
        """The lines that set or touched an attribute of an object before a time, the last first."""
        return [where for when, _, _, where in reversed(self._written(owner, name)) if when <= clock]

    def of_frame(self, frame: types.FrameType) -> Recording | None:
        """What was recorded of a live frame."""
        own = getattr(frame.f_trace, "__self__", None)
        return own if isinstance(own, Recording) and own.owner is self else None

    def _make_hook(self) -> Callable[[types.FrameType, str, Any], Any]:
        """What Python calls for every new frame, of which most are none of the user's: as little as possible."""
        users = self._users
        calls = 0

        def hook(frame: types.FrameType, event: str, argument: Any) -> Any:
            nonlocal calls
            calls += 1
            if not calls & 1023:
                self._calls = calls
                self._look_around()
            own = users.get(frame.f_code.co_filename)
            return None if own is False else self.trace(frame, event, argument)

        return hook

    def trace(self, frame: types.FrameType, event: str, _: Any) -> Any:
        """Follow a new frame if it is one of the user's files. Nothing is raised."""
        try:
            return self._trace(frame, event)
        except Exception:  # noqa: BLE001 - as above
            self.stop()
            return None

    def _trace(self, frame: types.FrameType, event: str) -> Any:
        code = frame.f_code
        users = self._users.get(code.co_filename)
        if users is None:
            users = self._users[code.co_filename] = is_users(code.co_filename)
        if not users or event != "call" or code.co_name in _INLINE:
            return None
        if (code.co_cellvars or code.co_freevars) and threading.active_count() > 1:
            # Python writes shared variables back after each event, over what another thread may have put there.
            return None
        known = self._codes.get(id(code))
        if known is None:
            # The code is kept, so that no other gets its number.
            known = self._codes[id(code)] = [code, writes_of(code), 0]
        known[2] += 1
        if known[1] is None or (known[2] > CALLS and not self.always):
            self._idle += 1
            if self._idle > _HOT:
                self.rest(frame.f_back)
            return None
        parent, where = self._parent(frame)
        if parent is not None and where is not None:
            parent.made_call(where)
        # A generator that goes on has a record already.
        recording = self.of_frame(frame) or Recording(frame, self, known[1], parent)
        if parent is not None and parent.visits and len(parent.visits[-1].calls) < CALLS:
            parent.visits[-1].calls.append(recording)
        if code.co_name == "<module>":
            self.modules[id(frame.f_globals)] = recording
        return recording.follow

    def _parent(self, frame: types.FrameType) -> tuple[Recording | None, types.FrameType | None]:
        """The record of the nearest call around a frame, and its frame."""
        back = frame.f_back
        while back is not None:
            own = self.of_frame(back)
            if own is not None:
                return own, back
            back = back.f_back
        return None, None

    def rest(self, frame: types.FrameType | None) -> None:
        """Record nothing for a while: the program is in a long loop, from `frame` inwards. The collector wakes us."""
        if self.always or not self.is_on:
            return
        self._idle = 0
        self._standing = dict(self._recorded_frames(frame))
        self._woken = time.monotonic() + _REST
        sys.settrace(None)
        gc.callbacks.append(self._wake)

    def _recorded_frames(self, frame: types.FrameType | None) -> Iterator[tuple[Recording, int]]:
        while frame is not None:
            if (own := self.of_frame(frame)) is not None:
                yield own, frame.f_lasti
            frame = frame.f_back

    def _wake(self, _phase: str, _information: dict[str, int]) -> None:
        """Go on after a rest. Calls that have gone on meanwhile are not believed any more; those around them are."""
        if time.monotonic() < self._woken or threading.current_thread() is not threading.main_thread():
            return
        gc.callbacks.remove(self._wake)
        now = dict(self._recorded_frames(sys._getframe(1)))  # noqa: SLF001 - its documented name
        for own, last in self._standing.items():
            own.is_broken = own.is_broken or now.get(own) != last
        self._standing = {}
        if sys.gettrace() is None and os.getpid() == self._process:
            sys.settrace(self._hook)

    def _look_around(self) -> None:
        used_up = self.spent + self._calls * _PER_CALL > SECONDS and not self.always
        if used_up or os.getpid() != self._process:
            self.stop()


def _may_change(value: Any) -> bool:
    """Whether a value can be changed in place and is data."""
    return isinstance(value, list | dict | set) or hasattr(value, "dtype") or hasattr(value, "columns")


def _stamp(value: Any) -> tuple[int, int] | None:
    """Tells a tensor that was not changed in place; None for what does not count its changes."""
    return (id(value), version_of(value)) if hasattr(value, "detach") else None


#: The recorder of this process, if there is one.
_current: list[Recorder] = []


def current() -> Recorder | None:
    """The recorder of this process, also when it has ended; None if there was none."""
    return _current[-1] if _current else None


def begin(frame: types.FrameType | None = None, *, always: bool = False) -> Recorder | None:
    """Start to record this process, with the user's frames from `frame` outwards.

    A process is recorded once, and not at all where somebody else traces it.
    """
    recorder = None if _current else Recorder(always=always)
    if recorder is None or not recorder.start(frame):
        return None
    _current.append(recorder)
    return recorder


def seen_enough() -> None:
    """Every loss of the program has been called more than once: what was recorded until now is enough."""
    recorder = current()
    if recorder is not None and not recorder.always:
        recorder.stop()


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Let the recorder of this process, if there is one, record nothing for as long as it lasts."""
    recorder = current()
    with recorder.paused() if recorder is not None else contextlib.nullcontext():
        yield


def end() -> None:
    """Stop and forget."""
    while _current:
        _current.pop().stop()
