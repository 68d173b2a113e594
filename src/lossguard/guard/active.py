"""Which guard watches the present thread. A guard that the main thread opens covers threads without one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lossguard.guard.session import Session

#: The guards of this context, innermost last; None on top means that nobody watches.
STACK: Final[ContextVar[tuple[Session | None, ...]]] = ContextVar("lossguard_sessions", default=())
#: The guards that were opened for the whole process.
EVERYWHERE: Final[list[Session]] = []


def current() -> Session | None:
    """The guard that watches this call."""
    stack = STACK.get()
    if stack:
        return stack[-1]
    return EVERYWHERE[-1] if EVERYWHERE else None


def enter(session: Session) -> None:
    """Let `session` watch this context."""
    STACK.set((*STACK.get(), session))
    if threading.current_thread() is threading.main_thread():
        EVERYWHERE.append(session)


def leave(session: Session) -> None:
    """Undo the last `enter` of `session`, wherever it stands."""
    stack = list(STACK.get())
    _drop_last(stack, session)
    STACK.set(tuple(stack))
    _drop_last(EVERYWHERE, session)


def _drop_last(sessions: list[Session] | list[Session | None], session: Session) -> None:
    for place in range(len(sessions) - 1, -1, -1):
        if sessions[place] is session:
            del sessions[place]
            return


@contextmanager
def nobody() -> Iterator[None]:
    """While the judge is at work, what it calls is not judged."""
    stack = STACK.get()
    STACK.set((*stack, None))
    try:
        yield
    finally:
        STACK.set(stack)
