"""A recorder: what the lines of the user's own files read and wrote, from the start of the program.

It follows frames of the user's files only, keeps copies of small values and weak references to all others, looks at a
line a few times and then no more, and ends by itself: when every loss has been called, or when its budget is used up.
It does not begin where somebody else traces. What it has seen is the surest evidence for the walk back.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
import threading
import time
import types
import weakref
from collections.abc import Callable, Iterator, Mapping
from inspect import CO_GENERATOR
from typing import Any, Final

from lossguard.interruptions import let_through
from lossguard.paths import is_users
from lossguard.tracing.evidence.births import INLINE, Births
from lossguard.tracing.evidence.keeping import MOST, Keeper, resolved
from lossguard.tracing.evidence.libraries import QUIET, Aside, is_quiet, may_call_back
from lossguard.tracing.evidence.phases import Phases, is_plain
from lossguard.tracing.evidence.recordings import FIRST_HOT, HOT, Recording
from lossguard.tracing.evidence.releasing import NO_STACK, release
from lossguard.tracing.program.writes import asks_for_names, writes_of

#: A function is followed so often.
CALLS: Final = 400
#: In a long loop nothing is recorded for so many seconds, for twice as many the next time, and so on up to a longest.
_REST: Final = 0.005
_LONGEST_REST: Final = 0.2
#: Seconds that all recording together may take, and what an event is reckoned to take.
SECONDS: Final = 1.5
_PER_CALL: Final = 0.6e-6

#: All that may still record when the program ends.
_LIVING: Final[weakref.WeakSet[Recorder]] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    """Record nothing while Python takes itself apart: the names that a hook needs are gone before the hook is."""
    for recorder in list(_LIVING):
        recorder.stop()


class Recorder:
    """The trace function, and all that it has kept."""

    def __init__(self, *, always: bool = False, spent: float = 0.0) -> None:
        #: Whether it goes on when every loss has been called, and whatever it takes.
        self.always = always
        #: Seconds that recording has taken so far, also that of recorders before this one.
        self.spent = spent
        self.modules: dict[int, Recording] = {}
        #: By the weak reference to an object, of which there is one, and the name of its attribute.
        self._attributes: dict[tuple[int, str], list[tuple[int, weakref.ref[Any], Any, tuple[Recording, int]]]] = {}
        self.births = Births()
        self._keeper = Keeper(MOST if not always else sys.maxsize)
        self._clock = 0
        self._calls = 0
        self._idle = 0
        self._woken = 0.0
        self._rest = _REST
        #: After so many lines of one frame there is a rest.
        self.hot = FIRST_HOT
        #: Where the calls stood that ran when a rest began.
        self._standing: dict[Recording, int] = {}
        self._users: dict[str, object] = {}
        self._phases = Phases(self._go_on)
        #: The number of the caller's frame while a library is left to itself.
        self._aside: int | None = None
        #: The number of what lies in a function until that ends, and a rest with it.
        self._lies: int | None = None
        self._codes: dict[int, list[Any]] = {}
        self._process = os.getpid()
        self._hook = self._make_hook()
        #: Whether it recorded when a look began, which nothing of it follows.
        self._was_on = False
        _LIVING.add(self)

    def start(self, frame: types.FrameType | None = None) -> bool:
        """Begin, unless somebody else traces; also with the user's frames that run already, from `frame` outwards."""
        if sys.gettrace() is not None:
            return False
        sys.settrace(self._hook)
        while frame is not None:
            if frame.f_trace is None and not asks_for_names(frame.f_code):
                frame.f_trace = self.trace(frame, "call", None)
            frame = frame.f_back
        return True

    @property
    def is_on(self) -> bool:
        """Whether it still records."""
        return sys.gettrace() is self._hook or self._aside is not None

    @property
    def is_over(self) -> bool:
        """Whether it has stopped for good, and does not only rest."""
        return not self.is_on and not self._phases.is_awaited and self._wake not in gc.callbacks

    @property
    def is_used_up(self) -> bool:
        """Whether recording has taken all the time that it may take in a process."""
        return self.spent_in_all > SECONDS and not self.always

    @property
    def spent_in_all(self) -> float:
        """Seconds that recording has taken, with the calls that were only looked at."""
        return self.spent + self._calls * _PER_CALL

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
        self._aside = None
        self._phases.stop()
        if self.is_on:
            sys.settrace(None)
        if self._wake in gc.callbacks:
            gc.callbacks.remove(self._wake)

    def wait(self, frame: types.FrameType) -> None:
        """Record nothing more until a phase is over: a function ends that was called once, or a loop in one.

        Nothing is raised.
        """
        if self._phases.is_awaited:
            return
        self.stop()
        around = dict(self._recorded_frames(frame))
        self._standing = {**{own: each.f_lasti for own, each in around.items()}, **self._standing}
        try:
            self._phases.wait([each for each in around.values() if self._codes[id(each.f_code)][2] == 1])
        except NO_STACK:
            return
        except Exception as error:  # noqa: BLE001 - objects of any make; a program that is watched goes on
            let_through(error)

    def new_loss(self, frame: types.FrameType) -> None:
        """A loss is called for the first time: go on if nothing is recorded because all others have been seen."""
        self._phases.begun(frame)

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
        """What an attribute of an object, or of the weak reference to one, held at a time; None if nobody set it."""
        return next(((resolved(value),) for when, _, value, _ in self._written(owner, name) if when < clock), None)

    def setters(self, owner: Any, name: str, clock: float) -> list[tuple[Recording, int]]:
        """The lines that set or touched an attribute of an object before a time, the last first."""
        return [where for when, _, _, where in self._written(owner, name) if when <= clock]

    def held(self, owner: Any, name: str, clock: float) -> list[tuple[Recording, int, Any]]:
        """What an attribute held after each line that set or touched it before a time, the last first."""
        return [(*where, resolved(value)) for when, _, value, where in self._written(owner, name) if when < clock]

    def _written(self, owner: Any, name: str) -> list[tuple[int, weakref.ref[Any], Any, tuple[Recording, int]]]:
        try:
            held = owner if isinstance(owner, weakref.ref) else weakref.ref(owner)
        except TypeError:
            return []
        return self._attributes.get((id(held), name), [])[::-1]

    def calls(self) -> Iterator[Recording]:
        """All calls that were recorded, from those of the modules inwards."""
        left: list[Any] = list(self.modules.values())
        met: set[int] = set()  # a generator is met each time that it went on
        while left:
            call = left.pop()
            if id(call) not in met:
                met.add(id(call))
                yield call
                left.extend(inner for visit in call.visits for inner in visit.calls)

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
            try:
                if not calls & 1023:
                    self._calls = calls
                    if self.is_used_up or os.getpid() != self._process:
                        self.stop()
                code = frame.f_code
                whose = users.get(code.co_filename)
                if whose is None:
                    whose = self._whose(code)
                if whose is not False:
                    return self.trace(frame, event, argument) if whose is not QUIET else self._step_aside(frame)
                if code.co_flags & CO_GENERATOR:  # its variables are others each time that it goes on
                    release(frame)
                elif code.co_name == "__init__":
                    self.births.note(frame, self.of_frame)
            except NO_STACK:
                sys.settrace(None)
            return None

        return hook

    def trace(self, frame: types.FrameType, event: str, _: Any) -> Any:
        """Follow a new frame if it is one of the user's files. Nothing is raised."""
        try:
            try:
                return self._trace(frame, event)
            finally:
                release(frame)
        except NO_STACK:
            sys.settrace(None)
        except Exception as error:  # noqa: BLE001 - as above
            self.stop()
            let_through(error)
        return None

    def _whose(self, code: types.CodeType) -> object:
        """Whether a file is the user's; QUIET for one of a library that is left to itself. Nothing is raised."""
        name = code.co_filename
        try:
            if name not in self._users:
                self._users[name] = is_users(name) or (QUIET if is_quiet(code) else False)
        except NO_STACK:
            sys.settrace(None)
        except Exception as error:  # noqa: BLE001 - a working folder that is gone
            self.stop()
            let_through(error)
        return self._users.get(name, False)

    def _trace(self, frame: types.FrameType, event: str) -> Any:
        code = frame.f_code
        if self._whose(code) is not True or event != "call" or code.co_name in INLINE:
            return None
        known = self._codes.get(id(code))
        if known is None:
            # Python would renew at each line what a function got from `locals()`. The code is kept, so that no other
            # gets its number.
            known = self._codes[id(code)] = [code, None if asks_for_names(code) else writes_of(code), 0]
        if known[1] is None:
            return None
        if code.co_name == "__init__":
            self.births.note(frame, self.of_frame)
        known[2] += 1
        if known[2] > CALLS and not self.always:
            self._idle_call(frame)
            return None
        parent, where = next(self._recorded_frames(frame.f_back), (None, None))
        if parent is not None and where is not None:
            parent.made_call(where)
        # A generator that goes on has a record already.
        recording = self.of_frame(frame) or Recording(frame, self, known[1], parent)
        if parent is not None and parent.visits and len(parent.visits[-1].calls) < CALLS:
            parent.visits[-1].calls.append(recording)
        if code.co_name == "<module>":
            self.modules[id(frame.f_globals)] = recording
        return recording.follow

    def _idle_call(self, frame: types.FrameType) -> None:
        """A call is not followed, since there were many of its function; after many of those there is a rest."""
        self._idle += 1
        if self._idle > HOT:
            around = next((each for _, each in self._recorded_frames(frame.f_back)), None)
            self.rest(frame.f_back)
            if around is not None:
                self.watch_end(around)

    def _step_aside(self, frame: types.FrameType) -> None:
        """Record nothing while a library works that cannot call the user's functions: it would only be slowed down."""
        caller = frame.f_back
        if caller is None or self.always or self.of_frame(caller) is None:
            return
        try:
            if may_call_back(frame):
                return
        except Exception as error:  # noqa: BLE001 - objects of any make
            let_through(error)
            return
        self._aside = id(caller)
        frame.f_locals[Aside.NAME] = Aside(self._come_back, caller)
        sys.settrace(None)

    def _come_back(self, aside: Aside) -> None:
        """Go on where a library was left to itself. A call that has gone on before its library is not believed."""
        recording = self.of_frame(aside.caller)
        if self._aside != id(aside.caller) or recording is None:
            return
        self._aside = None
        recording.is_broken = recording.is_broken or not aside.is_at_its_place
        if sys.gettrace() is None and os.getpid() == self._process and aside.thread == threading.get_ident():
            sys.settrace(self._hook)

    def rest(self, frame: types.FrameType | None) -> None:
        """Record nothing for a while: the program is in a long loop, from `frame` inwards. The collector wakes us."""
        if not self.always and self.is_on:
            self._idle, self.hot = 0, HOT
            self._standing = {own: each.f_lasti for own, each in self._recorded_frames(frame)}
            self._woken = time.monotonic() + self._rest
            self._rest = min(2 * self._rest, _LONGEST_REST)
            sys.settrace(None)
            gc.callbacks.append(self._wake)

    def _recorded_frames(self, frame: types.FrameType | None) -> Iterator[tuple[Recording, types.FrameType]]:
        """The calls around a point that are recorded, from the inside out, with their frames."""
        while frame is not None:
            if (own := self.of_frame(frame)) is not None:
                yield own, frame
            frame = frame.f_back

    def watch_end(self, frame: types.FrameType) -> None:
        """Where a rest has begun in a function, let it end with that, if the collector does not come before."""
        caller = frame.f_back
        if self._wake in gc.callbacks and caller is not None and is_plain(frame.f_code) and self._rest < _LONGEST_REST:
            aside = Aside(self._rested, caller)
            self._lies = id(aside) if release(frame, aside) else None

    def _rested(self, aside: Aside) -> None:
        if self._lies == id(aside) and self._wake in gc.callbacks and aside.thread == threading.get_ident():
            self._woken = 0.0
            self._wake("", {})

    def _wake(self, _phase: str, _information: dict[str, int]) -> None:
        """Go on after a rest."""
        if time.monotonic() < self._woken or threading.current_thread() is not threading.main_thread():
            return
        gc.callbacks.remove(self._wake)
        self._go_on(sys._getframe(1))  # noqa: SLF001 - its documented name

    def _go_on(self, frame: types.FrameType) -> None:
        """Record again. Calls that have ended meanwhile are not believed any more; those around them are."""
        now = dict(self._recorded_frames(frame))
        for own, last in self._standing.items():
            standing = now.get(own)
            own.is_broken = own.is_broken or standing is None
            try:
                if standing is not None and standing.f_lasti != last:
                    own.resume(standing)
            except Exception as error:  # noqa: BLE001 - objects of any make
                own.is_broken = True
                let_through(error)
        self._standing = {}
        if sys.gettrace() is None and os.getpid() == self._process:
            sys.settrace(self._hook)
