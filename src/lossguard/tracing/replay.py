"""Running `dataset[index]` and the collate function once more, line by line, and remembering what every line did.

A replay never hangs: it ends at a time limit and at a step limit, and what was seen until then is kept. Only lines of
the user's own files are followed. The user's random states are put back by the caller; generators that hang on the
dataset itself are put back here.
"""

from __future__ import annotations

import contextlib
import random
import signal
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lossguard.paths import is_users

STEP_LIMIT: Final = 200_000
TIME_LIMIT: Final = 6.0
_PATIENCE: Final = 2.0
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


@dataclass(slots=True)
class Replay:
    """What a replay has shown."""

    roots: list[Activation] = field(default_factory=list)
    result: Any = None
    #: Why there is no result: what was raised, or which limit was met.
    failure: str = ""


class _Limit(BaseException):
    """A limit is met. No exception of the user's catches it."""


class Recorder:
    """The trace function and what it gathers."""

    def __init__(self, deadline: float) -> None:
        self.roots: list[Activation] = []
        self.stopped = False
        self._open: list[tuple[types.FrameType, Activation]] = []
        self._steps = 0
        self._deadline = deadline

    def trace(self, frame: types.FrameType, event: str, _: Any) -> Any:
        """Called by Python for every new frame; follows those of the user's files."""
        self._count()
        if event != "call" or not is_users(frame.f_code.co_filename):
            return None
        parent = self._open[-1][1] if self._open else None
        if frame.f_code.co_name in _INLINE and parent is not None:
            return None
        visit = len(parent.visits) - 1 if parent else -1
        activation = Activation(frame.f_code, frame.f_globals, parent, visit, dict(frame.f_locals))
        if parent is not None and parent.visits:
            parent.visits[-1].calls.append(activation)
        else:
            self.roots.append(activation)
        self._open.append((frame, activation))
        return self._follow

    def _follow(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        self._count()
        activation = next((own for opened, own in reversed(self._open) if opened is frame), None)
        if activation is None:
            return None
        if event == "line":
            activation.visits.append(Visit(frame.f_lineno, self._snapshot(frame.f_locals)))
        elif event == "return":
            activation.returned, activation.ended = argument, True
            self._open = [pair for pair in self._open if pair[0] is not frame]
        return self._follow

    def _snapshot(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """The locals as they are now: what can change in place is copied while it is small."""
        return {name: _frozen(value) for name, value in found.items()}

    def stop(self) -> None:
        """Look at nothing more, and raise nothing more."""
        self.stopped = True

    def _is_over(self) -> bool:
        return self._steps > STEP_LIMIT or time.monotonic() > self._deadline

    def _count(self) -> None:
        self._steps += 1
        if not self.stopped and self._is_over():
            self.stop()
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


def replay(action: Callable[[], Any], deadline: float | None = None, what: str = "") -> Replay:
    """Run `action` under the trace, within the limits."""
    deadline = time.monotonic() + TIME_LIMIT if deadline is None else deadline
    recorder = Recorder(deadline)
    outcome = Replay(recorder.roots)
    before = sys.gettrace()
    try:
        with _alarm(deadline, what):
            sys.settrace(recorder.trace)
            outcome.result = action()
            if recorder.stopped:  # the limit was met inside a finaliser, which swallows exceptions
                outcome.failure = "the time or step limit was met"
    except _Limit:
        outcome.failure = "the time or step limit was met"
    except Exception as error:  # noqa: BLE001 - the user's code may raise whatever it likes
        outcome.failure = f"it raised {type(error).__name__}"
    finally:
        # The alarm is off by now, so nothing can come between.
        recorder.stop()
        sys.settrace(before)
    return outcome


def run_plainly(action: Callable[[], Any], deadline: float, what: str = "") -> Replay:
    """Run `action` without a trace, within the time limit."""
    outcome = Replay()
    try:
        with _alarm(deadline, what):
            outcome.result = action()
    except _Limit:
        outcome.failure = "the time limit was met"
    except Exception as error:  # noqa: BLE001 - as above
        outcome.failure = f"it raised {type(error).__name__}"
    return outcome


@contextlib.contextmanager
def _alarm(deadline: float, what: str) -> Iterator[None]:
    """Break into a sleep or a wait at the deadline, where the system can: in the main thread, its timer unused."""
    usable = (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        and signal.getsignal(signal.SIGALRM) is not None
    )
    if not usable:
        yield
        return

    over = False

    def ring(_: int, __: types.FrameType | None) -> None:
        nonlocal over
        if over:
            return
        if time.monotonic() >= deadline - 0.01:
            over = True
            raise _Limit
        sys.stderr.write(f"lossguard: looking for the line that made it bad{what} ...\n")

    before = signal.signal(signal.SIGALRM, ring)
    try:
        left = max(deadline - time.monotonic(), 0.01)
        signal.setitimer(signal.ITIMER_REAL, min(_PATIENCE, left), max(left - _PATIENCE, 0.05))
        try:
            yield
        finally:
            over = True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def generators_kept(*holders: Any) -> Iterator[None]:
    """Put back the random generators that hang on datasets, samplers and collate functions."""
    undo: list[Callable[[], None]] = []
    for holder in holders:
        for value in list(getattr(holder, "__dict__", {}).values()):
            undo.extend(_saved(value))
    try:
        yield
    finally:
        for step in undo:
            step()


def _saved(value: Any) -> list[Callable[[], None]]:
    if isinstance(value, random.Random):  # noqa: S311 - the user's generator, put back and not drawn from
        state = value.getstate()
        return [lambda: value.setstate(state)]
    if hasattr(value, "get_state") and hasattr(value, "set_state") and hasattr(value, "manual_seed"):
        kept = value.get_state()
        return [lambda: value.set_state(kept)]
    bits = getattr(value, "bit_generator", None)
    if bits is not None and hasattr(bits, "state"):
        drawn = bits.state
        return [lambda: setattr(bits, "state", drawn)]
    return []
