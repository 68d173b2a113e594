"""Looking into the frames of a running program without leaving a trace in them."""

from __future__ import annotations

import gc
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

#: Since Python 3.13 a frame shows its variables as they are, and keeps no copy of them.
_KEEPS_A_COPY: Final = sys.version_info < (3, 13)


@contextmanager
def untouched(frame: FrameType | None) -> Iterator[None]:
    """Whoever reads variables of `frame` or of its callers inside keeps none of them alive by that.

    A frame of older Pythons keeps the copy of its variables that it was asked for until its function ends. A copy that
    was there before belongs to the program, which has called `locals()`: it stays as it is.
    """
    asked = [(each, _copies_in(each)) for each in _outward(frame)] if _KEEPS_A_COPY else []
    try:
        yield
    finally:
        for each, before in asked:
            copy = each.f_locals
            content = next((content for known, content in before if known is copy), {})
            copy.clear()
            copy.update(content)


def _outward(frame: FrameType | None) -> Iterator[FrameType]:
    """`frame` and its callers, as far as their variables are not themselves a namespace."""
    while frame is not None:
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            yield frame
        frame = frame.f_back


def _copies_in(frame: FrameType) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What may be a copy that the frame keeps, with what is in it: each dictionary with names of variables."""
    code = frame.f_code
    names = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
    held = (each for each in gc.get_referents(frame) if type(each) is dict)
    return [(each, dict(each)) for each in held if names.issuperset(each)]
