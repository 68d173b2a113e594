"""Looking into the frames of a running program without leaving a trace in them."""

from __future__ import annotations

import ctypes
import inspect
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

#: Until Python 3.12 a frame keeps the copy of its variables that somebody has asked for: where the frame has its inner
#: one, and where that has the copy, in bytes. Later a frame shows its variables as they are.
_PLACES: Final = {(3, 11): (24, 24), (3, 12): (24, 40)}
_PLACE: Final = _PLACES.get(sys.version_info[:2]) if sys.implementation.name == "cpython" else None


@contextmanager
def untouched(*frames: FrameType | None) -> Iterator[None]:
    """Whoever reads variables of `frames` or of their callers inside keeps none of them alive by that.

    The copy that a frame keeps lives until its function ends. One that was there before belongs to the program, which
    has called `locals()`: what is in it stays as it is.
    """
    asked = [] if _PLACE is None else [(each, dict(_copy_in(each) or {})) for each in _outward(frames)]
    try:
        yield
    finally:
        for each, content in asked:
            copy = _copy_in(each)
            if copy is not None:
                copy.clear()
                copy.update(content)


def _outward(frames: Iterable[FrameType | None]) -> Iterator[FrameType]:
    """`frames` and their callers, each once, as far as their variables are not themselves a namespace."""
    seen: set[FrameType] = set()
    for inner in frames:
        frame = inner
        while frame is not None and frame not in seen:
            seen.add(frame)
            if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
                yield frame
            frame = frame.f_back


def _copy_in(frame: FrameType) -> dict[str, Any] | None:
    """The copy of its variables that a frame keeps, without asking for one: that would change it."""
    if _PLACE is None:
        return None
    inner = ctypes.c_void_p.from_address(id(frame) + _PLACE[0]).value or 0
    copy = ctypes.c_void_p.from_address(inner + _PLACE[1]).value
    held: dict[str, Any] | None = ctypes.cast(copy, ctypes.py_object).value if copy else None
    return held
