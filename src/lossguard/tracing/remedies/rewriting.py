"""Lines of the user's source with something else in the place of an expression. Nothing is written to files."""

from __future__ import annotations

import ast
import builtins
import linecache
import re
from collections.abc import Mapping, Sequence

from lossguard.findings import Place
from lossguard.records import dataclass
from lossguard.tracing.program.sources import Source

#: Expressions that need no parentheses wherever they are put.
_CLOSED = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.List, ast.Tuple, ast.Dict)


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of the source, from one point (line, column in bytes) to another, and what is to stand there."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The lines from `place.line` to `place.end_line`, and what they become."""

    place: Place
    code: str


def instead_of(node: ast.expr, text: str) -> Edit:
    """An edit that puts `text` in the place of an expression."""
    return Edit(
        (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset), text
    )


def rewritten(source: Source, edits: Sequence[Edit]) -> Rewritten | None:
    """The lines that the edits touch, after them; None if the file would no longer be Python."""
    lines = linecache.getlines(source.filename)
    first, last = min((edit.start[0] for edit in edits), default=0), max((edit.end[0] for edit in edits), default=0)
    if not edits or last > len(lines):
        return None
    touched = [line.encode() for line in lines[first - 1 : last]]
    starts = [sum(map(len, touched[:number])) for number in range(len(touched))]
    text = b"".join(touched)
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        start, end = (starts[line - first] + column for line, column in (edit.start, edit.end))
        text = text[:start] + edit.text.encode() + text[end:]
    whole = [*lines[: first - 1], text.decode(), *lines[last:]]
    try:
        ast.parse("".join(whole))
    except (SyntaxError, ValueError):
        return None
    code = " ".join(line.strip() for line in text.decode().splitlines())
    code = code.replace("( ", "(").replace(", )", ")").replace(" )", ")")
    shown = Place(source.filename, first, source.line(first), end_line=last if last != first else 0)
    return Rewritten(shown, code)


def text_of(source: Source, node: ast.expr) -> str:
    """An expression as it is written, on one line; in parentheses where it needs them beside a dot."""
    lines = linecache.getlines(source.filename)
    text = ast.get_source_segment("".join(lines), node) or ast.unparse(node)
    text = " ".join(line.strip() for line in text.splitlines())
    return text if isinstance(node, _CLOSED) else f"({text})"


def with_names(code: ast.expr, names: Mapping[str, str]) -> str:
    """An expression as text, with other texts in the place of its names."""
    text = ast.unparse(code)
    tree = ast.parse(text, mode="eval")
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in names]
    for node in sorted(found, key=lambda node: node.col_offset, reverse=True):
        text = text[: node.col_offset] + names[node.id] + text[node.end_col_offset :]
    return text


def with_known_names(text: str, source: Source) -> str:
    """The text with torch's functions under a name that the file has; empty if it names what is not there."""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return ""
    known = names_bound(source)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for short, module in (("F", "torch.nn.functional"), ("nn", "torch.nn")):
        if short in used - known and "torch" in known:
            text, used = re.sub(rf"(?<![\w.]){short}\.", f"{module}.", text), {*used, "torch"} - {short}
    return text if used <= known else ""


def names_bound(source: Source) -> set[str]:
    """Every name that a file binds anywhere, and Python's own."""
    found = {*dir(builtins)}
    for node in ast.walk(source.tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name):
                found.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                found |= {(alias.asname or alias.name).partition(".")[0] for alias in aliases}
    return found
