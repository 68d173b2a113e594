"""The code in a text that somebody pasted: between fences, indented, or what is left when prose is taken out."""

from __future__ import annotations

import ast
import re
from textwrap import dedent
from typing import Final

_FENCED: Final = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_MOST_LINES_LEFT_OUT: Final = 40


def code_in(text: str) -> str:
    """The part of a text that parses; empty if there is none."""
    fenced = "\n".join(_FENCED.findall(text))
    indented = "\n".join(line for line in text.split("\n") if not line.strip() or line.startswith(("    ", "\t")))
    candidates = [dedent(part) for part in (fenced, text, indented) if part.strip()]
    for candidate in candidates:
        if isinstance(_parsed(candidate), ast.Module):
            return candidate
    return _without_prose(candidates[0]) if candidates else ""


def _parsed(text: str) -> ast.Module | SyntaxError | None:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):
        return None


def _without_prose(text: str) -> str:
    """The text without the lines at which parsing fails."""
    lines = text.split("\n")
    for _ in range(_MOST_LINES_LEFT_OUT):
        found = _parsed("\n".join(lines))
        if not isinstance(found, SyntaxError):
            return "\n".join(lines) if found is not None else ""
        lines[min(max(found.lineno or 1, 1), len(lines)) - 1] = ""
    return ""
