"""Tells when a part of a program is over in which losses were called: recording goes on with the next part."""

from __future__ import annotations

import ast
import gc
import os
import sys
import threading
import types
from collections.abc import Callable, Iterable
from inspect import CO_GENERATOR, CO_OPTIMIZED

from lossguard.interruptions import let_through
from lossguard.tracing.evidence.libraries import Aside
from lossguard.tracing.evidence.releasing import release
from lossguard.tracing.program.sources import outermost_loop, source_of


class Phases:
    """Waits for functions and loops to end, each of them once; `go_on` gets the frame in which it was seen."""

    def __init__(self, go_on: Callable[[types.FrameType], None]) -> None:
        self._go_on = go_on
        self._process = os.getpid()
        self.is_awaited = False
        #: The functions and loops that were waited for before, by their code and first line; codes are kept alive.
        self._known: set[tuple[types.CodeType, int]] = set()
        #: The first and last lines of the loops that are waited for, by the code that they stand in.
        self._loops: dict[types.CodeType, tuple[int, int]] = {}

    def wait(self, around: Iterable[types.FrameType]) -> None:
        """Wait for any of these calls to end, or to leave the loop that it stands in."""
        self.is_awaited = True
        found = False
        for frame in around:
            found = self._awaits_loop(frame) or found
            found = self._awaits_end(frame) or found
        self.is_awaited = found
        if self._loops:
            gc.callbacks.append(self._look)

    def stop(self) -> None:
        """Wait no more."""
        self.is_awaited = False
        self._loops = {}
        if self._look in gc.callbacks:
            gc.callbacks.remove(self._look)

    def begun(self, frame: types.FrameType) -> None:
        """A new part of the program has begun."""
        if self.is_awaited and os.getpid() == self._process and threading.current_thread() is threading.main_thread():
            self.stop()
            self._go_on(frame)

    def _is_new(self, code: types.CodeType, line: int) -> bool:
        known = (code, line) in self._known
        self._known.add((code, line))
        return not known

    def _awaits_end(self, frame: types.FrameType) -> bool:
        code = frame.f_code
        if not is_plain(code) or frame.f_back is None or not self._is_new(code, code.co_firstlineno):
            return False
        # What finds no place in the function ends here, where nobody waits for it yet.
        awaited, self.is_awaited = self.is_awaited, False
        placed = release(frame, Aside(self._ended, frame.f_back))
        self.is_awaited = awaited
        return placed

    def _awaits_loop(self, frame: types.FrameType) -> bool:
        source = source_of(frame.f_code.co_filename)
        scope = source.function_of(frame.f_code) if source is not None else None
        loop = outermost_loop(scope, frame.f_lineno) if isinstance(scope, ast.AST) else None
        if loop is None or not self._is_new(frame.f_code, loop.lineno):
            return False
        self._loops[frame.f_code] = (loop.lineno, loop.end_lineno or loop.lineno)
        return True

    def _ended(self, aside: Aside) -> None:
        if aside.thread == threading.get_ident():
            self.begun(aside.caller)

    def _look(self, _phase: str, _information: dict[str, int]) -> None:
        """Called by the collector now and then: whether a loop has been left. Nothing is raised."""
        try:
            here: types.FrameType = sys._getframe(1)  # noqa: SLF001 - its documented name
            frame: types.FrameType | None = here
            while frame is not None:
                lines = self._loops.get(frame.f_code)
                if lines is not None and not lines[0] <= frame.f_lineno <= lines[1]:
                    self.begun(here)
                    return
                frame = frame.f_back
        except Exception as error:  # noqa: BLE001 - a program that is watched goes on
            self.stop()
            let_through(error)


def is_plain(code: types.CodeType) -> bool:
    """Whether what lies among the variables of a function ends with it."""
    return code.co_flags & (CO_OPTIMIZED | CO_GENERATOR) == CO_OPTIMIZED
