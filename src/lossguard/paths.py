"""Files: whose they are, how they are shown, and their source. The one answer to "is this the user's file?"."""

from __future__ import annotations

import os
import site
import stat
import sys
from functools import cache
from pathlib import Path
from typing import Final

#: Everything of lossguard's own lies in here.
OURS: Final = str(Path(__file__).parent) + os.sep
#: How torch names the code that it writes for a compiled graph.
GRAPH_CODE: Final = "<eval_with_key>"
#: Folders that hold installed packages, in whatever environment.
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})


@cache
def is_library(filename: str) -> bool:
    """Whether `filename` is installed, of the standard library, written by torch, or lossguard's own."""
    if filename.startswith(("<frozen", GRAPH_CODE, OURS)) or not _INSTALLED.isdisjoint(Path(filename).parts):
        return True
    return filename.startswith(_library_folders()) or os.path.realpath(filename).startswith(_library_folders())


@cache
def is_users(filename: str) -> bool:
    """Whether `filename` is the user's own code and its source can be read."""
    return not is_library(filename) and bool(source_lines(filename))


@cache
def real_path(filename: str) -> str:
    """A file by the one name that it has, whatever it was called by: `./train.py`, `../run/train.py`, a link."""
    return os.path.realpath(filename)


def source_lines(filename: str) -> list[str]:
    """The lines of a source file, as they were when it was first read; none for a pipe, a terminal or a device.

    To read from those would take away what the program itself wants to read.
    """
    import linecache

    if filename in linecache.cache or filename.startswith("<"):
        return linecache.getlines(filename)
    try:
        is_file = stat.S_ISREG(os.stat(filename).st_mode)  # noqa: PTH116 - half the time of Path.stat
    except (OSError, ValueError):
        # Source inside an archive has no file of its own, and is given by its loader.
        is_file = not os.path.lexists(filename)
    return linecache.getlines(filename) if is_file else []


def source_line(filename: str, number: int) -> str:
    """One line of a source file, without its indentation; empty if there is none."""
    lines = source_lines(filename)
    return lines[number - 1].strip() if 1 <= number <= len(lines) else ""


def shown_path(filename: str) -> str:
    """`filename` from the working folder if it lies in there; the cell of a notebook by its number."""
    if (cell := _cell(filename)) is not None:
        return cell
    try:
        relative = os.path.relpath(filename)
    except (OSError, ValueError):
        return filename
    return filename if relative.startswith("..") or filename.startswith("<") else relative


def _cell(filename: str) -> str | None:
    """`Cell In[4]` for the code of a notebook's cell, as IPython itself calls it."""
    try:
        # Whoever works in a notebook has it loaded.
        kind, name = sys.modules["IPython"].get_ipython().compile.format_code_name(filename)
    except Exception:  # noqa: BLE001 - no IPython, no shell in it, no such cell, or another version
        return None
    return f"{kind} {name}"


@cache
def _library_folders() -> tuple[str, ...]:
    import sysconfig

    paths = sysconfig.get_paths()
    folders = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders.update(site.getsitepackages())
    if site.ENABLE_USER_SITE:
        folders.add(site.getusersitepackages())
    return tuple(folder + os.sep for folder in folders | {os.path.realpath(folder) for folder in folders})
