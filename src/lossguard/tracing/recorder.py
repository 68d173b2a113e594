"""A recorder: what the lines of the user's own files read and wrote, from the start of the program.

It follows frames of the user's files only, keeps copies of small values and weak references to all others, looks at a
line a few times and then no more, and ends by itself: when every loss has been called, or when its budget is used up.
It does not begin where somebody else traces. What it has seen is the surest evidence for the walk back.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
import types
import weakref
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lossguard.paths import is_users
from lossguard.tracing.evaluating import UNKNOWN
from lossguard.tracing.keeping import Keeper, resolved, version_of
from lossguard.tracing.program.writes import Writes, writes_of
from lossguard.tracing.replay import Activation, Visit

#: A line of one call is looked at so often.
VISITS: Final = 8
#: A function is followed so often.
CALLS: Final = 400
#: After so many lines of one frame it is left alone until it calls something else.
_HOT: Final = 3_000
#: Seconds that all recording together may take, and what an event is reckoned to take.
SECONDS: Final = 1.5
_PER_CALL: Final = 0.25e-6
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
            for name, value in frame.f_locals.items():
                self.history[name] = [(-1, owner.keep(value))]

    @property
    def returned(self) -> Any:
        """What the call returned; UNKNOWN if it is gone."""
        return resolved(self._returned)

    @returned.setter
    def returned(self, value: Any) -> None:
        self._returned = value

    def kept_before(self, name: str, number: int) -> tuple[Any] | None:
        """What was kept of a name before a line; None if nothing was written into it."""
        written = self.history.get(name)
        place = bisect_left(written, number, key=lambda entry: entry[0]) if written else 0
        return (written[place - 1][1],) if written and place else None

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
            start = time.perf_counter()
            self._keep(frame, writes)
            self.owner.spent += time.perf_counter() - start

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
        self._attributes: dict[tuple[int, str], list[tuple[int, Any, Any, tuple[Recording, int]]]] = {}
        self._keeper = Keeper()
        self._clock = 0
        self._calls = 0
        self._resting: list[tuple[types.FrameType, float]] = []
        self._users: dict[str, bool] = {}
        self._codes: dict[int, list[Any]] = {}
        self._process = os.getpid()
        self._hook = self.trace
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
        self._resting.clear()

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
        self._attributes.setdefault((id(owner), name), []).append((self._clock, held, self.keep(value), where))

    def attribute(self, owner: Any, name: str, clock: float) -> tuple[Any] | None:
        """What an attribute of an object held at a time; None if nobody was seen to set it before."""
        for when, held, value, _ in reversed(self._attributes.get((id(owner), name), [])):
            if when < clock and held() is owner:
                return (resolved(value),)
        return None

    def setters(self, owner: Any, name: str, clock: float) -> list[tuple[Recording, int]]:
        """The lines that set or touched an attribute of an object before a time, the last first."""
        found = self._attributes.get((id(owner), name), [])
        return [where for when, held, _, where in reversed(found) if when <= clock and held() is owner]

    def of_frame(self, frame: types.FrameType) -> Recording | None:
        """What was recorded of a live frame."""
        own = getattr(frame.f_trace, "__self__", None)
        return own if isinstance(own, Recording) and own.owner is self else None

    def trace(self, frame: types.FrameType, event: str, _: Any) -> Any:
        """Called by Python for every new frame; follows those of the user's files. Nothing is raised."""
        try:
            return self._trace(frame, event)
        except Exception:  # noqa: BLE001 - as above
            self.stop()
            return None

    def _trace(self, frame: types.FrameType, event: str) -> Any:
        self._calls += 1
        code = frame.f_code
        users = self._users.get(code.co_filename)
        if users is None:
            users = self._users[code.co_filename] = is_users(code.co_filename)
        if not self._calls % 1024 or self._resting:
            self._look_around()
        if not users or event != "call" or code.co_name in _INLINE:
            return None
        known = self._codes.get(id(code))
        if known is None:
            # The code is kept, so that no other gets its number.
            known = self._codes[id(code)] = [code, writes_of(code), 0]
        known[2] += 1
        if known[1] is None or known[2] > CALLS:
            return None
        parent = self._parent(frame)
        # A generator that goes on has a record already.
        recording = self.of_frame(frame) or Recording(frame, self, known[1], parent)
        if parent is not None and parent.visits and len(parent.visits[-1].calls) < CALLS:
            parent.visits[-1].calls.append(recording)
        if code.co_name == "<module>":
            self.modules[id(frame.f_globals)] = recording
        return recording.follow

    def _parent(self, frame: types.FrameType) -> Recording | None:
        back = frame.f_back
        while back is not None:
            own = self.of_frame(back)
            if own is not None:
                return own
            back = back.f_back
        return None

    def rest(self, frame: types.FrameType) -> None:
        """Leave the lines of a frame alone for a while: it is in a long loop."""
        frame.f_trace_lines = False
        if (own := self.of_frame(frame)) is not None:
            own.is_broken = True
        self._resting.append((frame, time.monotonic() + 0.05))

    def _look_around(self) -> None:
        now = time.monotonic()
        for frame, until in self._resting:
            if now > until:
                frame.f_trace_lines = True
        self._resting = [pair for pair in self._resting if now <= pair[1]]
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
