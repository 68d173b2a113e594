"""The recorder of this process: there is one at a time, and all of them have one budget."""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Iterator
from typing import Final

from lossguard.tracing.evidence.recorder import Recorder

#: The recorder of this process, if there is one.
_current: Final[list[Recorder]] = []


def current() -> Recorder | None:
    """The recorder of this process, also when it has ended; None if there was none."""
    return _current[-1] if _current else None


def begin(frame: types.FrameType | None = None, *, always: bool = False) -> Recorder | None:
    """Start to record this process, with the user's frames from `frame` outwards.

    There is one recorder at a time; one that has stopped gives way to the next, and all of them have one budget.
    Nothing is recorded where somebody else traces.
    """
    before = current()
    if before is not None and not before.is_over:
        return None
    recorder = Recorder(always=always, spent=before.spent_in_all if before is not None else 0.0)
    if recorder.is_used_up or not recorder.start(frame):
        return None
    _current[:] = [recorder]
    return recorder


def seen_enough() -> None:
    """The program is at its end: what was recorded until now is enough."""
    recorder = current()
    if recorder is not None and not recorder.always:
        recorder.stop()


def seen_losses() -> None:
    """Every loss that was called yet has been called more than once: what the functions around do is known."""
    recorder = current()
    if recorder is not None and not recorder.always:
        recorder.wait(sys._getframe(1))  # noqa: SLF001 - its documented name


def new_loss(frame: types.FrameType) -> None:
    """A loss is called at a line that has called none yet; a recorder that waits goes on."""
    recorder = current()
    if recorder is not None:
        recorder.new_loss(frame)


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
