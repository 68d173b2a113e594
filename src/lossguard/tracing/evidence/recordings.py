"""What was recorded of one call of a function of the user's: its lines, and what each of them wrote."""

from __future__ import annotations

import itertools
import sys
import time
import types
import weakref
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from lossguard.interruptions import let_through
from lossguard.tracing.evidence.keeping import Kept, is_same, is_tensor_class, resolved, version_of
from lossguard.tracing.evidence.releasing import NO_STACK, release
from lossguard.tracing.evidence.replay import Activation, Visit
from lossguard.tracing.program.writes import Writes
from lossguard.tracing.values.evaluating import UNKNOWN

#: A line of one call is looked at so often; after so many lines of one frame nothing is recorded for a while: later for
#: the first time, so that a loop over some thousand samples, and what follows it, is recorded to its end.
VISITS: Final = 8
FIRST_HOT: Final = 15_000
HOT: Final = 3_000


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
        self.history: dict[str, list[tuple[float, Any]]] = {}
        #: Before which lines nothing was recorded for a while, with the names that were written meanwhile.
        self.gaps: list[tuple[int, frozenset[str]]] = []
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

    @property
    def number_of_line(self) -> int | None:
        """The number of the line that runs now; None if it is no longer looked at."""
        seen = bool(self.visits) and self._line is not None and self._line not in self._lost
        return len(self.visits) - 1 if seen else None

    def before(self, number: int) -> Mapping[str, Any]:
        """The names as they were before a line, or at the end."""
        return _Before(self, number)

    def was_written_unseen(self, names: Iterable[str], first: int, last: int) -> bool:
        """Whether one of these names was written while nothing was recorded, between two lines."""
        return any(first < place <= last and not unseen.isdisjoint(names) for place, unseen in self.gaps)

    def changes(self, name: str, number: int) -> list[tuple[int, Any, Any]]:
        """The lines before `number` that may have changed what a name holds, with before and after, the last first.

        What changed while nothing was recorded has no line.
        """
        written = [entry for entry in self.history.get(name, []) if entry[0] < number]
        pairs = itertools.pairwise(written)
        numbered = [(int(after[0]) if after[0] % 1 == 0 else -1, before[1], after[1]) for before, after in pairs]
        return [(place, resolved(before), resolved(after)) for place, before, after in numbered][::-1]

    def kept_before(self, name: str, number: int) -> tuple[Any] | None:
        """What was kept of a name before a line; None if nothing was written into it."""
        written = self.history.get(name)
        place = bisect_left(written, float(number), key=lambda entry: entry[0]) if written else 0
        return (written[place - 1][1],) if written and place else None

    def written_at(self, name: str, number: int) -> Any:
        """What a line wrote into a name; UNKNOWN if it is gone, or was not seen."""
        return next((resolved(value) for place, value in self.history.get(name, [])[::-1] if place == number), UNKNOWN)

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
            if event == "line" and not self._events % self.owner.hot:
                self.owner.watch_end(frame)
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
            if not self._events % self.owner.hot:
                self.owner.rest(frame)
        elif event == "return":
            self._write(frame)
            self._recover(frame)
            self.returned, self.ended = self.owner.keep(argument), True
            if frame.f_code.co_name == "<module>":
                self._visit(0)

    def resume(self, frame: types.FrameType) -> None:
        """Go on after a rest: of names that hold something else by now, no line is known that gave it to them."""
        start, names, here = time.thread_time(), frame.f_locals, len(self.visits)
        own = {name for writes in self.lines.values() for name in (*writes.names, *writes.touched) if name in names}
        unseen = {name for name in own if not is_same(self.history.get(name, [(0, UNKNOWN)])[-1][1], names[name])}
        for name in unseen:
            self.history.setdefault(name, []).append((here - 0.5, self.owner.keep(names[name])))
            self._stamps[name] = _stamp(names[name])
        self.gaps.append((here, frozenset(unseen)))
        self._line, self._lost = None, {}
        self.owner.spent += time.thread_time() - start

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
        self.gaps = [(bisect_left(kept, place), unseen) for place, unseen in self.gaps]
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
