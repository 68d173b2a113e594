"""Which findings are allowed: by pyproject.toml for all files or some, by a remark at the end of a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from lossguard.records import dataclass, field
from lossguard.rules.registry import UnknownRule, find_rule

#: A folder that holds one of these is the root of a project.
_ROOTS: Final = (".git", ".hg", ".svn")
_REMARK: Final = re.compile(r"#\s*lossguard:\s*allow\s+([\w\-, ]+)")


@dataclass(frozen=True, slots=True)
class Settings:
    """What `[tool.lossguard]` in a pyproject.toml says."""

    #: The folder of the pyproject.toml; patterns are relative to it.
    folder: Path = Path()
    allow: frozenset[str] = frozenset()
    exclude: tuple[str, ...] = ()
    #: Codes that are allowed in the files that a pattern fits.
    per_file: Mapping[str, frozenset[str]] = field(default_factory=dict)


def codes_of(words: Iterable[str]) -> frozenset[str]:
    """The codes of these codes or names; raise `UnknownRule`, which lists the nearest, for any other word."""
    if isinstance(words, str):
        words = [words]
    words = list(words) if isinstance(words, Iterable) else [words]
    if not all(isinstance(word, str) for word in words):
        raise UnknownRule(f'allow takes codes or names of rules, such as ["LG303"]; this is {words!r}')
    return frozenset(find_rule(word).code for word in words)


def allowed_by_project(start: Path | None = None) -> frozenset[str]:
    """The codes that `[tool.lossguard] allow` in the nearest pyproject.toml names."""
    return project_settings(start).allow


def project_settings(start: Path | None = None) -> Settings:
    """The settings in the project's pyproject.toml, from `start` upwards.

    The project ends at the folder that is under version control, or at the home folder: what lies above is not its own.
    """
    try:
        folder = (start or Path.cwd()).resolve()
        home = Path.home().resolve()
    except (OSError, RuntimeError):
        # The working folder is gone, or there is no home.
        return Settings()
    for candidate in (folder, *folder.parents):
        path = candidate / "pyproject.toml"
        if path.is_file():
            return _read(path)
        if candidate == home or any((candidate / name).exists() for name in _ROOTS):
            break
    return Settings(folder)


def _read(path: Path) -> Settings:
    try:
        text = path.read_text(encoding="utf-8")
        if "lossguard" not in text:
            return Settings(path.parent)
        import tomllib

        settings: Any = tomllib.loads(text)
    except (OSError, ValueError, RecursionError):
        # Somebody else's file; the tool whose file it is will complain.
        return Settings(path.parent)
    for name in ("tool", "lossguard"):
        settings = settings.get(name) if isinstance(settings, dict) else None
    ours = settings if isinstance(settings, dict) else {}
    per_file = ours.get("per-file-allow", {})
    if not isinstance(per_file, dict):
        raise UnknownRule(f"{path}: [tool.lossguard] per-file-allow must be a table of patterns and lists of rules")
    exclude = ours.get("exclude", [])
    if not isinstance(exclude, list) or not all(isinstance(pattern, str) for pattern in exclude):
        raise UnknownRule(f'{path}: [tool.lossguard] exclude must be a list of patterns, such as ["generated/**"]')
    return Settings(
        path.parent,
        _codes(path, "allow", ours.get("allow", [])),
        tuple(exclude),
        {pattern: _codes(path, f"per-file-allow {pattern!r}", words) for pattern, words in per_file.items()},
    )


def _codes(path: Path, name: str, words: Any) -> frozenset[str]:
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UnknownRule(f'{path}: [tool.lossguard] {name} must be a list of rules, such as ["LG303"]')
    try:
        return codes_of(words)
    except UnknownRule as error:
        raise UnknownRule(f"{path}: [tool.lossguard] {name}: {error}") from None


def remarked_words(line: str) -> list[str]:
    """The codes and names that `# lossguard: allow LG303` names on a line."""
    remark = _REMARK.search(line)
    return [] if remark is None else [word for word in re.split(r"[,\s]+", remark[1].strip()) if word]
