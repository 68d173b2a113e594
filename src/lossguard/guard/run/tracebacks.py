"""A traceback as Python shows it, but for the long stretches in which a framework calls itself.

Between `trainer.fit(...)` and the line of the user's that failed Lightning and the Trainer have twenty frames or more.
The exception keeps them all; only what a run prints above a diagnosis is shorter.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from lossguard.guard.errors import reported, words
from lossguard.paths import is_library
from lossguard.reports.terminal import fitted

#: So many frames of libraries in a row are shown as they are.
_FEW: Final = 3
_INSTALLED: Final = ("site-packages", "dist-packages")


def displayed(error: BaseException) -> str | None:
    """The traceback of `error` as a run shows it; None if Python's own way of showing it will do.

    Long stretches in frameworks are folded, and a terminal gets the diagnosis in colour, broken at its edge.
    """
    short, report, fine = folded(error), reported(error), None
    with contextlib.suppress(Exception):  # a stream of the program's own
        fine = None if report is None else fitted(report, sys.stderr)
    if report is None or fine is None:
        return short
    whole = "".join(traceback.format_exception(error)) if short is None else short
    return whole.replace(words(report), fine)


def folded(error: BaseException) -> str | None:
    """The traceback of `error` with its long stretches in frameworks as one line each; None if it has none."""
    told = traceback.TracebackException(type(error), error, error.__traceback__, compact=True)
    links = list(_links(told))
    if not any(_framework(frames) for link in links for _, frames in _stretches(link.stack)):
        return None
    for link in links:
        link.stack = _Folded(link.stack)
    return "".join(told.format())


def _links(told: traceback.TracebackException) -> Iterator[traceback.TracebackException]:
    """An exception, those that it came from and those that it groups."""
    yield told
    for other in (told.__cause__, told.__context__, *(told.exceptions or ())):
        if other is not None:
            yield from _links(other)


def _stretches(stack: Iterable[traceback.FrameSummary]) -> list[tuple[bool, list[traceback.FrameSummary]]]:
    """The frames, by whether they are of libraries; the innermost is where it was raised, and stands by itself."""
    frames = list(stack)
    grouped = groupby(frames[:-1], lambda frame: is_library(frame.filename))
    return [*((kind, list(group)) for kind, group in grouped), (False, frames[-1:])]


def _framework(frames: list[traceback.FrameSummary]) -> str:
    """What stands for a long stretch of frames with a framework in it; empty if this is none."""
    names = dict.fromkeys(_package(frame.filename) for frame in frames)
    if len(frames) <= _FEW or not set(names) - {"torch", ""} or not all(is_library(f.filename) for f in frames):
        return ""
    return f"  [{len(frames)} frames of {', '.join(filter(None, names))}]\n"


def _package(filename: str) -> str:
    """The package that an installed file belongs to."""
    parts = Path(filename).parts
    place = next((parts.index(folder) for folder in _INSTALLED if folder in parts), None)
    return "" if place is None else parts[place + 1].removesuffix(".py")


class _Folded(traceback.StackSummary):
    """A stack that shows its long stretches as one line each."""

    def format(self, **settings: Any) -> list[str]:
        """The lines of the stack."""
        lines: list[str] = []
        for _, frames in _stretches(self):
            short = _framework(frames)
            lines.extend([short] if short else traceback.StackSummary.from_list(frames).format(**settings))
        return lines
