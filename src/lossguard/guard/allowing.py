"""Which findings are allowed: asked for in code, in pyproject.toml, or at the end of a line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any, Final

from lossguard.guard.calls.sites import statement_lines
from lossguard.rules.registry import UnknownRule, find_rule

#: A folder that holds one of these is the root of a project.
_ROOTS: Final = (".git", ".hg", ".svn")
_REMARK: Final = re.compile(r"#\s*lossguard:\s*allow\s+([\w\-, ]+)")


def codes_of(words: Iterable[str]) -> frozenset[str]:
    """The codes of these codes or names; raise `UnknownRule`, which lists the nearest, for any other word."""
    if isinstance(words, str):
        words = [words]
    words = list(words) if isinstance(words, Iterable) else [words]
    if not all(isinstance(word, str) for word in words):
        raise UnknownRule(f'allow takes codes or names of rules, such as ["LG303"]; this is {words!r}')
    return frozenset(find_rule(word).code for word in words)


def allowed_by_project(start: Path | None = None) -> frozenset[str]:
    """The codes that `[tool.lossguard] allow` in the project's pyproject.toml names.

    The project ends at the folder that is under version control, or at the home folder: what lies above is not its own.
    """
    try:
        folder = (start or Path.cwd()).resolve()
        home = Path.home().resolve()
    except (OSError, RuntimeError):
        # The working folder is gone, or there is no home.
        return frozenset()
    for candidate in (folder, *folder.parents):
        path = candidate / "pyproject.toml"
        if path.is_file():
            return _read(path)
        if candidate == home or any((candidate / name).exists() for name in _ROOTS):
            break
    return frozenset()


def _read(path: Path) -> frozenset[str]:
    try:
        settings: Any = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        # Somebody else's file; the tool whose file it is will complain.
        return frozenset()
    for name in ("tool", "lossguard"):
        settings = settings.get(name) if isinstance(settings, dict) else None
    words = settings.get("allow", []) if isinstance(settings, dict) else []
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UnknownRule(f'{path}: [tool.lossguard] allow must be a list of rules, such as ["LG303"]')
    try:
        return codes_of(words)
    except UnknownRule as error:
        raise UnknownRule(f"{path}: [tool.lossguard] allow: {error}") from None


def allowed_by_remark(frame: FrameType | None) -> frozenset[str]:
    """The codes allowed by `# lossguard: allow LG303` on the lines of the statement that `frame` is at."""
    if frame is None:
        return frozenset()
    remarks = (_REMARK.search(line) for line in statement_lines(frame))
    words = [word for remark in remarks if remark for word in re.split(r"[,\s]+", remark[1].strip()) if word]
    return codes_of(words)
