"""Running `dataset[index]` and the collate function once more, line by line, and remembering what every line did.

A replay happens in a twin of the user's process (`twin.py`) and never hangs: it ends at a time limit and at a step
limit, and what was seen until then is kept. Only lines of the user's own files are followed.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lossguard.paths import is_users
from lossguard.tracing.evidence.readonly import Refused

STEP_LIMIT: Final = 200_000
_LIMIT_MET: Final = "the time or step limit was met"
_INLINE: Final = frozenset({"<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>"})


@dataclass(slots=True, eq=False)
class Visit:
    """One line that ran: what the locals were before it, and what it called."""

    line: int
    before: Mapping[str, Any]
    calls: list[Activation] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Activation:
    """One call of a function of the user's."""

    code: types.CodeType
    globals: Mapping[str, Any]
    parent: Activation | None
    parent_visit: int
    arguments: Mapping[str, Any]
    visits: list[Visit] = field(default_factory=list)
    returned: Any = None
    ended: bool = False

    def changes(self, name: str, number: int) -> list[tuple[int, Any, Any]]:
        """The lines before `number` that may have changed an array, with before and after, the last first."""
        seen = [visit.before.get(name) for visit in self.visits[: number + 1]]
        pairs = [(place, *pair) for place, pair in enumerate(itertools.pairwise(seen))]
        return [pair for pair in pairs if hasattr(type(pair[1]), "dtype")][::-1]


@dataclass(slots=True)
class Replay:
    """What a replay has shown."""

    roots: list[Activation] = field(default_factory=list)
    result: Any = None
    #: Why there is no result: what was raised, or which limit was met.
    failure: str = ""


class _Limit(BaseException):
    """A limit is met. No exception of the user's catches it."""


class _Trace:
    """The trace function and what it gathers."""

    def __init__(self, deadline: float) -> None:
        self.roots: list[Activation] = []
        self.stopped = False
        self._open: list[Activation] = []
        self._steps = 0
        self._deadline = deadline

    def trace(self, frame: types.FrameType, event: str, _: Any) -> Any:
        """Called by Python for every new frame; follows those of the user's files."""
        self._count()
        parent = self._open[-1] if self._open else None
        inline = frame.f_code.co_name in _INLINE and parent is not None
        if event != "call" or inline or not is_users(frame.f_code.co_filename):
            return None
        own = frame.f_trace
        if isinstance(own, functools.partial) and own.func == self._follow:  # a generator that goes on
            self._open.append(own.args[0])
            return own
        visit = len(parent.visits) - 1 if parent else -1
        activation = Activation(frame.f_code, frame.f_globals, parent, visit, dict(frame.f_locals))
        (parent.visits[-1].calls if parent is not None and parent.visits else self.roots).append(activation)
        self._open.append(activation)
        return functools.partial(self._follow, activation)

    def _follow(self, activation: Activation, frame: types.FrameType, event: str, argument: Any) -> Any:
        self._count()
        if event == "line":
            before = {name: _frozen(value) for name, value in frame.f_locals.items()}
            activation.visits.append(Visit(frame.f_lineno, before))
        elif event == "return":
            # Whoever called it may put other things into a container; it is the same array or object by its identity.
            activation.returned = _frozen(argument) if isinstance(argument, list | dict) else argument
            activation.ended = True
            self._open = [each for each in self._open if each is not activation]
        return frame.f_trace

    def _count(self) -> None:
        self._steps += 1
        if not self.stopped and (self._steps > STEP_LIMIT or time.monotonic() > self._deadline):
            self.stopped = True
            raise _Limit


def _frozen(value: Any) -> Any:
    """A copy of small data that a later line may change in place; everything else as it is."""
    try:
        if hasattr(value, "detach") and hasattr(value, "numel"):
            return value.detach().clone() if value.numel() <= 4096 else value
        if type(value).__module__ == "numpy" and getattr(value, "size", 1 << 30) <= 4096:
            return value.copy()
        if type(value) is list and len(value) <= 1024:
            return list(value)
        if type(value) is dict and len(value) <= 256:
            return dict(value)
    except Exception:  # noqa: BLE001 - data of any kind; the object itself will do
        return value
    return value


def replay(action: Callable[[], Any], deadline: float) -> Replay:
    """Run `action` under the trace, within the limits."""
    recorder = _Trace(deadline)
    outcome = Replay(recorder.roots)
    with _ended(outcome), _alarm(deadline):
        try:
            sys.settrace(recorder.trace)
            outcome.result = action()
        finally:
            sys.settrace(None)
            if recorder.stopped:  # also when a finaliser swallowed it
                outcome.failure = _LIMIT_MET
    return outcome


def run_plainly(action: Callable[[], Any], deadline: float) -> Replay:
    """Run `action` without a trace, within the time limit."""
    outcome = Replay()
    with _ended(outcome), _alarm(deadline):
        outcome.result = action()
    return outcome


@contextlib.contextmanager
def _ended(outcome: Replay) -> Iterator[None]:
    """Write down why an action did not come to its end."""
    try:
        yield
    except _Limit:
        outcome.failure = _LIMIT_MET
    except Refused as refused:
        outcome.failure = str(refused)
    except BaseException as error:  # noqa: BLE001 - the user's code may raise whatever it likes; this is a twin
        outcome.failure = f"it raised {type(error).__name__}"


@contextlib.contextmanager
def _alarm(deadline: float) -> Iterator[None]:
    """Break into a sleep or a wait at the deadline."""

    def ring(_: int, __: types.FrameType | None) -> None:
        raise _Limit

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(deadline - time.monotonic(), 0.01))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
