"""Which files are linted, and their text: folders honour .gitignore, and what cannot be read gets a line of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Final

from lossguard.records import dataclass

_SUFFIXES: Final = (".py", ".pyw", ".ipynb")
_SKIPPED: Final = frozenset({"__pycache__", "node_modules", "venv", "env", "build", "dist", "site-packages"})
#: A file is parsed only if it mentions torch and a loss or an index operation; a test holds the contracts against this.
MENTIONS: Final = re.compile(
    r"[lL]oss|cross_entropy|kl_div|one_hot|[eE]mbedding|gather|scatter|take_along_dim|index_(?:select|add|put|copy|fill)"
    r"|torch\.take"
)
LARGEST: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file was not linted, in a line."""

    path: str
    text: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}" if self.line else f"{self.path}: {self.text}"


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file, and how its bytes were read."""

    content: str
    encoding: str = "utf-8"
    bom: bool = False

    def encoded(self, content: str) -> bytes:
        """Other content, as the file's own bytes were."""
        return (b"\xef\xbb\xbf" if self.bom else b"") + content.encode(self.encoding)


def collect(paths: Iterable[str], exclude: Iterable[str], folder: Path) -> Iterator[str | Problem]:
    """The files to lint, each once: those that are named, and those in the folders that are."""
    excluded = [_pattern(pattern) for pattern in exclude]
    seen: set[str] = set()
    for path in paths:
        if path == "-":
            yield path
        elif os.path.isdir(path):  # noqa: PTH112 - no Path for each of thousands of files
            problems: list[Problem] = []
            for found in _walk(path, excluded, folder, problems):
                if (real := os.path.realpath(found)) not in seen:
                    seen.add(real)
                    yield found
            yield from problems
        elif not os.path.exists(path):  # noqa: PTH110 - the same
            yield Problem(path, "there is no such file or folder")
        elif (real := os.path.realpath(path)) not in seen:
            seen.add(real)
            yield path


def _walk(root: str, excluded: list[re.Pattern[str]], folder: Path, problems: list[Problem]) -> Iterator[str]:
    """The files below a folder; a folder that cannot be read is put among the problems."""

    def unreadable(error: OSError) -> None:
        problems.append(Problem(str(error.filename), f"cannot be read: {error.strerror or error}"))

    ignored = _Ignored(root)
    for here, folders, files in os.walk(root, onerror=unreadable):
        ignored.read(here)
        folders[:] = sorted(
            name
            for name in folders
            if name not in _SKIPPED
            and not name.startswith(".")
            and not ignored.has(os.path.join(here, name), is_folder=True)  # noqa: PTH118 - speed
            and not _is_excluded(os.path.join(here, name), excluded, folder)  # noqa: PTH118 - speed
        )
        for name in sorted(files):
            path = os.path.join(here, name)  # noqa: PTH118 - speed
            if name.endswith(_SUFFIXES) and not ignored.has(path) and not _is_excluded(path, excluded, folder):
                yield path


def _is_excluded(path: str, excluded: list[re.Pattern[str]], folder: Path) -> bool:
    if not excluded:
        return False
    relative = os.path.relpath(path, folder).replace(os.sep, "/")
    return any(pattern.fullmatch(relative) for pattern in excluded)


def fits(path: str, pattern: str, folder: Path) -> bool:
    """Whether a pattern of pyproject.toml fits a file."""
    return _is_excluded(path, [_pattern(pattern)], folder)


class _Ignored:
    """The .gitignore files of a tree, from the root of its repository down."""

    def __init__(self, root: str) -> None:
        self.rules: list[tuple[str, re.Pattern[str], bool, bool]] = []
        top = Path(root).resolve()
        above = [parent for parent in (top, *top.parents) if (parent / ".git").exists()]
        for parent in reversed([*top.parents]) if above else ():
            if parent == above[0] or above[0] in parent.parents:
                self.read(str(parent))
        if self.has(str(top), is_folder=True):
            # Who names a folder that git ignores wants it linted.
            self.rules.clear()

    def read(self, folder: str) -> None:
        """Take the rules of one folder in."""
        path = os.path.join(folder, ".gitignore")  # noqa: PTH118 - speed
        if not os.path.isfile(path):  # noqa: PTH113 - the same
            return
        try:
            lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return
        base = os.path.realpath(folder)
        for line in lines:
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            negated, text = text.startswith("!"), text.lstrip("!")
            folders_only, text = text.endswith("/"), text.rstrip("/")
            anchored = "/" in text
            pattern = _pattern(text.lstrip("/") if anchored else f"**/{text}")
            self.rules.append((base, pattern, negated, folders_only))

    def has(self, path: str, *, is_folder: bool = False) -> bool:
        """Whether the last rule that fits a path says that it is ignored."""
        if not self.rules:
            return False
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))  # noqa: PTH118, PTH119, PTH120 - speed
        answer = False
        for base, pattern, negated, folders_only in self.rules:
            if (folders_only and not is_folder) or not real.startswith(base + os.sep):
                continue
            if pattern.fullmatch(real[len(base) + 1 :].replace(os.sep, "/")):
                answer = not negated
        return answer


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    """A pattern as git and ruff write them, for a path with slashes; a folder takes all that is in it."""
    parts: list[str] = []
    place = 0
    while place < len(pattern):
        if pattern.startswith("**/", place):
            parts.append("(?:.*/)?")
            place += 3
        elif pattern.startswith("**", place):
            parts.append(".*")
            place += 2
        elif pattern[place] == "*":
            parts.append("[^/]*")
            place += 1
        elif pattern[place] == "?":
            parts.append("[^/]")
            place += 1
        elif pattern[place] == "[" and "]" in pattern[place + 1 :]:
            end = pattern.index("]", place + 1)
            parts.append(f"[{pattern[place + 1 : end].replace('!', '^', 1)}]")
            place = end + 1
        else:
            parts.append(re.escape(pattern[place]))
            place += 1
    try:
        return re.compile("".join(parts) + "(?:/.*)?")
    except re.error:
        return re.compile(re.escape(pattern))


def read(path: str) -> Text | Problem:
    """The text of a file, or why there is none."""
    try:
        if os.path.getsize(path) > LARGEST:  # noqa: PTH202 - speed
            return Problem(path, f"is larger than {LARGEST // 1_000_000} MB and was not linted")
        with open(path, "rb") as opened:  # noqa: PTH123 - speed
            data = opened.read()
    except OSError as error:
        return Problem(path, f"cannot be read: {error.strerror or error}")
    return decoded(data, path)


def decoded(data: bytes, path: str) -> Text | Problem:
    """The text in these bytes, by the mark or the comment that names their encoding."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Problem(path, "is UTF-16, which Python does not read; save it as UTF-8")
    if b"\0" in data:
        return Problem(path, "has null bytes: this is no Python source")
    bom = data.startswith(b"\xef\xbb\xbf")
    try:
        encoding = "utf-8"
        if bom or b"coding" in data[:400]:
            import tokenize

            encoding = tokenize.detect_encoding(BytesIO(data).readline)[0]
        return Text(
            data.removeprefix(b"\xef\xbb\xbf").decode(encoding.removesuffix("-sig")), encoding.removesuffix("-sig"), bom
        )
    except (SyntaxError, LookupError) as error:
        return Problem(path, f"names an encoding that Python does not know: {error}")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Problem(path, "is not UTF-8, and names no other encoding in its first two lines", line)


def is_worth_parsing(text: str) -> bool:
    """Whether a file mentions torch and a loss or an index operation."""
    return "torch" in text and MENTIONS.search(text) is not None
