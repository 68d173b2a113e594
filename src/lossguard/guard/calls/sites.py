"""Call sites: which line of the user's called a loss, how often, and when it is worth a closer look."""

from __future__ import annotations

import linecache
import os
import site as site_packages
import sys
import sysconfig
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

from lossguard.findings import Place

_OURS: Final = str(Path(__file__).parent.parent) + os.sep
#: Whether a code object belongs to torch or to us, by identity: hashing code objects is slow.
_INNER: dict[int, tuple[CodeType, bool]] = {}
#: Folders that hold installed packages, in whatever environment.
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
_KNOWN: Final = 20_000


class Site:
    """One place that calls a loss, with what was seen there."""

    __slots__ = ("calls", "code", "key", "latest", "plans", "said", "trips")

    def __init__(self, key: tuple[Any, ...], code: CodeType | None = None) -> None:
        self.key = key
        #: Kept alive, so that its id stays its own.
        self.code = code
        #: Code and argument of what was said here already.
        self.said: set[tuple[str, str]] = set()
        self.calls = 0
        #: How often each kind of trip happened here, and the codes it led to.
        self.trips: dict[str, tuple[int, tuple[str, ...]]] = {}
        #: What the last call was like, if its plan left nothing to do but to read the loss: types, shapes and
        #: dtypes of its two tensors, their strides or None, its settings, the least the loss may be, what torch leaves
        #: unchecked, and its plan.
        self.latest: tuple[Any, ...] = (None,) * 11
        #: Plans by what the call was like.
        self.plans: dict[tuple[Any, ...], Any] = {}


def is_inner(code: CodeType) -> bool:
    """Whether `code` belongs to torch or to lossguard."""
    known = _INNER.get(id(code))
    if known is not None:
        return known[1]
    filename = code.co_filename
    answer = filename.startswith((_OURS, *_torch_folders()))
    if len(_INNER) >= _KNOWN:
        _INNER.clear()
    _INNER[id(code)] = (code, answer)
    return answer


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


@cache
def is_library(filename: str) -> bool:
    """Whether `filename` is installed, of the standard library, or no file at all."""
    if filename.startswith(("<frozen", _OURS)) or not _INSTALLED.isdisjoint(Path(filename).parts):
        return True
    return filename.startswith(_library_folders())


def place_at(filename: str, line: int) -> Place:
    """The place, with its source and its name as seen from the working folder."""
    return Place(shown_path(filename), line, linecache.getline(filename, line).strip())


def place_of(frame: FrameType) -> Place:
    """Where `frame` stands."""
    return place_at(frame.f_code.co_filename, frame.f_lineno)


def shown_path(filename: str) -> str:
    """`filename` from the working folder if it lies in there."""
    try:
        relative = os.path.relpath(filename)
    except (OSError, ValueError):
        return filename
    return filename if relative.startswith("..") or filename.startswith("<") else relative


def statement_lines(frame: FrameType) -> list[str]:
    """The source lines of the expression that `frame` is at, for remarks at their ends."""
    first = last = frame.f_lineno
    if frame.f_lasti >= 0:
        spans = list(frame.f_code.co_positions())
        start, end, *_ = spans[frame.f_lasti // 2] if frame.f_lasti // 2 < len(spans) else (None, None)
        first, last = start or first, end or last
    return [linecache.getline(frame.f_code.co_filename, line) for line in range(first, last + 1)]


def is_due(number: int) -> bool:
    """Whether the `number`-th time is one of 1, 2, 4, 8, 16, ..."""
    return number & (number - 1) == 0


@cache
def _torch_folders() -> tuple[str, ...]:
    torch = sys.modules.get("torch")
    folders = list(getattr(torch, "__path__", []))
    return tuple(folder + os.sep for folder in folders)


@cache
def _library_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    folders = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders.update(site_packages.getsitepackages())
    if site_packages.ENABLE_USER_SITE:
        folders.add(site_packages.getusersitepackages())
    real = {os.path.realpath(folder) for folder in folders}
    return tuple(folder + os.sep for folder in folders | real)
