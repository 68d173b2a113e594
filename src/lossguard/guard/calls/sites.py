"""Call sites: which line of the user's called a loss, how often, and when it is worth a closer look."""

from __future__ import annotations

import linecache
import os
import re
import sys
from functools import cache
from types import CodeType, FrameType
from typing import Any, Final

from lossguard.findings import Place
from lossguard.paths import GRAPH_CODE, OURS, is_library, shown_path, source_line, source_lines

#: Whether a code object belongs to torch or to us, by identity: hashing code objects is slow.
_INNER: dict[int, tuple[CodeType, bool]] = {}
_KNOWN: Final = 20_000
#: A frame as tracebacks show it.
_FRAME: Final = re.compile(r'File "([^"\n]+)", line (\d+)')


class Site:
    """One place that calls a loss, with what was seen there."""

    __slots__ = ("calls", "code", "key", "latest", "looks", "plans", "said", "trips")

    def __init__(self, key: tuple[Any, ...], code: CodeType | None = None) -> None:
        self.key = key
        #: Kept alive, so that its id stays its own.
        self.code = code
        #: Code and argument of what was said here already.
        self.said: set[tuple[str, str]] = set()
        self.calls = 0
        #: How many of them were looked at for what only a deep look shows, or tripped over it.
        self.looks = 0
        #: How often each kind of trip happened here, and the codes it led to.
        self.trips: dict[str, tuple[int, tuple[str, ...]]] = {}
        #: What the last call was like, if its plan left nothing to do but to read the loss: types, shapes and
        #: dtypes of its two tensors, their strides or None, its settings by place and by name, the least the loss
        #: may be, what torch leaves unchecked, and its plan.
        self.latest: tuple[Any, ...] = (None,) * 12
        #: Plans by what the call was like.
        self.plans: dict[tuple[Any, ...], Any] = {}

    @property
    def is_loss(self) -> bool:
        """Whether a loss is computed here, and not something looked up by an index, as a model does many times."""
        return any(plan.is_loss for plan in list(self.plans.values()))


def is_inner(code: CodeType) -> bool:
    """Whether `code` belongs to torch or to lossguard, or only hands a call on."""
    known = _INNER.get(id(code))
    if known is not None:
        return known[1]
    filename = code.co_filename
    # What a subclass or a mode does with a call is no place that calls a loss.
    answer = filename.startswith((OURS, *_torch_folders())) or code.co_name == "__torch_function__"
    if len(_INNER) >= _KNOWN:
        _INNER.clear()
    _INNER[id(code)] = (code, answer)
    return answer


def outer_frame(frame: FrameType | None) -> FrameType | None:
    """The nearest frame, from `frame` outward, that does not belong to the guard."""
    while frame is not None and frame.f_code.co_filename.startswith(OURS):
        frame = frame.f_back
    return frame


def calling_frame(frame: FrameType | None) -> FrameType | None:
    """The nearest frame, from `frame` outward, that belongs neither to torch nor to lossguard."""
    while frame is not None:
        known = _INNER.get(id(frame.f_code))
        if not (known[1] if known is not None else is_inner(frame.f_code)):
            return frame
        frame = frame.f_back
    return None


def users_frame(frame: FrameType | None) -> FrameType | None:
    """The nearest frame of the user's own code; of a library, if no frame of the user's is there."""
    nearest = frame = calling_frame(frame)
    while frame is not None:
        if not is_inner(frame.f_code) and not is_library(frame.f_code.co_filename):
            return frame
        frame = frame.f_back
    return nearest


def place_at(filename: str, line: int) -> Place:
    """The place, with its source and its name as seen from the working folder."""
    return Place(shown_path(filename), line, source_line(filename, line))


def place_of(frame: FrameType, inner: FrameType | None = None) -> Place:
    """Where `frame` stands. A compiled function stands nowhere: there the graph in `inner` tells who wrote the call."""
    return _written_place(inner, frame) or place_at(frame.f_code.co_filename, frame.f_lineno)


def _written_place(inner: FrameType | None, outer: FrameType) -> Place | None:
    """The line of the user's that became the line of the compiled graph that runs between two frames."""
    while inner is not None and inner is not outer and not inner.f_code.co_filename.startswith(GRAPH_CODE):
        inner = inner.f_back
    if inner is None or inner is outer:
        return None
    code = linecache.getline(inner.f_code.co_filename, inner.f_lineno, inner.f_globals)
    nodes = getattr(getattr(inner.f_locals.get("self"), "graph", None), "nodes", ())
    name = code.partition("=")[0].strip()
    written = next((str(node.meta.get("stack_trace") or "") for node in nodes if node.name == name), "")
    for file, line in reversed(_FRAME.findall(written)):
        if not is_library(file):
            return place_at(file, int(line))
    return None


def statement_lines(frame: FrameType) -> list[str]:
    """The source lines of the expression that `frame` is at, for remarks at their ends."""
    first = last = frame.f_lineno
    if frame.f_lasti >= 0:
        spans = list(frame.f_code.co_positions())
        start, end, *_ = spans[frame.f_lasti // 2] if frame.f_lasti // 2 < len(spans) else (None, None)
        first, last = start or first, end or last
    return source_lines(frame.f_code.co_filename)[first - 1 : last]


def is_due(number: int) -> bool:
    """Whether the `number`-th time is one of 1, 2, 4, 8, 16, ..."""
    return number & (number - 1) == 0


@cache
def _torch_folders() -> tuple[str, ...]:
    torch = sys.modules.get("torch")
    folders = list(getattr(torch, "__path__", []))
    return tuple(folder + os.sep for folder in folders)
