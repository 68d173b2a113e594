"""Fixes as changes of the source: what a rule advises, written into the file where the call or its cause stands."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Final

from lossguard.facts.facts import Maker
from lossguard.findings import Fix, Safety, Scope
from lossguard.lint.judging import Found
from lossguard.lint.values import Data, Library, Spot
from lossguard.records import dataclass, replace

_ATOMS: Final = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of text that takes the place of another."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A fix that can be written into the file: its edits, and whether it keeps every number that was right."""

    fix: Fix
    edits: tuple[Edit, ...]

    @property
    def is_safe(self) -> bool:
        """Whether it is applied without being asked for twice."""
        return self.fix.safety is Safety.LOSSLESS


def changes_for(found: Found) -> list[Change]:
    """The fixes of a finding that can be written into its file, safe ones first."""
    made: list[Change] = []
    for fix in found.finding.fixes:
        edits = _edits(found, fix)
        if edits:
            made.append(Change(replace(fix, scope=Scope.SOURCE), tuple(edits)))
    return sorted(made, key=lambda change: not change.is_safe)


def _edits(found: Found, fix: Fix) -> list[Edit] | None:
    text = found.source.text
    if found.finding.code in _GUESSES:
        return None
    if found.finding.code == "LG504" and fix.code.startswith("nn."):
        place = _offset(text, found.node.func.end_lineno, found.node.func.end_col_offset)
        return [Edit(place, place, "()")]
    value = found.values.get(found.finding.argument)
    if isinstance(value, Data) and value.maker in {Maker.SOFTMAX, Maker.SIGMOID} and found.finding.code in _MEANINGS:
        return _at_maker(found, value.maker_at, found.finding.code, fix)
    if re.fullmatch(r"ignore_index=-?\d+", fix.code):
        return _with_keyword(found, fix.code)
    return _argument_edit(found, fix)


#: Their advice depends on how the values came about, or on another line to change, which the source does not tell.
_GUESSES: Final = frozenset({"LG204", "LG211"})
_MEANINGS: Final = frozenset({"LG302", "LG303"})


def _at_maker(found: Found, spot: Spot | None, code: str, fix: Fix) -> list[Edit] | None:
    """Take a softmax away, or make a log_softmax of it, where it is applied or where its layer is made."""
    if spot is None or spot.module is not found.source or not isinstance(spot.node, ast.Call):
        return None
    node, text = spot.node, found.source.text
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if code == "LG302":
        if "log_softmax in place" not in fix.title or name not in {"softmax", "Softmax"}:
            return None
        other = "log_softmax" if name == "softmax" else "LogSoftmax"
        end = _offset(text, node.func.end_lineno, node.func.end_col_offset)
        return [Edit(end - len(name), end, other)]
    start, end = _span(text, node)
    if name in {"Softmax", "Sigmoid", "Softmax2d"}:
        owner = text[start:end].partition(name)[0]
        return [Edit(start, end, f"{owner}Identity()")] if owner.endswith(".") else None
    is_method = isinstance(node.func, ast.Attribute) and not _is_library(found, node.func.value)
    inner = node.func.value if is_method and isinstance(node.func, ast.Attribute) else next(iter(node.args), None)
    if inner is None:
        return None
    low, high = _span(text, inner)
    return [Edit(start, end, text[low:high])]


def _is_library(found: Found, node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and isinstance(found.source.state.names.get(node.id), Library)


def _with_keyword(found: Found, code: str) -> list[Edit] | None:
    """Add a setting to the call of a function, or give the one that is there another value."""
    node, text = found.node, found.source.text
    is_function = set(found.expressions) >= {"input", "target"} and isinstance(node.func, ast.Attribute)
    if not is_function or not isinstance(node.func, ast.Attribute) or node.func.attr != found.finding.loss:
        return None
    name, _, wanted = code.partition("=")
    for keyword in node.keywords:
        if keyword.arg == name:
            start, end = _span(text, keyword.value)
            return [Edit(start, end, wanted)]
    last = max(
        [*node.args, *(keyword.value for keyword in node.keywords)],
        key=lambda arg: (arg.end_lineno, arg.end_col_offset),
    )
    place = _offset(text, last.end_lineno, last.end_col_offset)
    return [Edit(place, place, f", {code}")]


def _argument_edit(found: Found, fix: Fix) -> list[Edit] | None:
    """Write the advised expression in the place of the argument: `target.long()` where `y` was given for it."""
    expression = found.expressions.get(found.finding.argument)
    if expression is None or not fix.code:
        return None
    try:
        advised = ast.parse(fix.code, mode="eval").body
    except SyntaxError:
        return None
    names = {node.id for node in ast.walk(advised) if isinstance(node, ast.Name)}
    unknown = names - found.expressions.keys() - {"F", "torch"}
    if (
        unknown
        or found.finding.argument not in names
        or fix.code.startswith((f"F.{found.finding.loss}", "F.binary", "F.cross", "F.mse"))
    ):
        return None
    written = _in_words_of(found, fix.code, names)
    if written is None:
        return None
    start, end = _span(found.source.text, expression)
    return [Edit(start, end, written)]


def _in_words_of(found: Found, code: str, names: set[str]) -> str | None:
    """The advice with the file's own names for its arguments and for torch."""
    words: dict[str, str] = {}
    for name in names:
        if name in found.expressions:
            start, end = _span(found.source.text, found.expressions[name])
            text = found.source.text[start:end]
            words[name] = text if isinstance(found.expressions[name], _ATOMS) else f"({text})"
        else:
            alias = _alias(found, {"F": "torch.nn.functional", "torch": "torch"}[name])
            if alias is None:
                return None
            words[name] = alias
    pattern = r"(?<![\w.])(" + "|".join(map(re.escape, sorted(words))) + r")(?!\w|=)"
    return re.sub(pattern, lambda match: words[match[1]], code)


def _alias(found: Found, library: str) -> str | None:
    names = found.source.state.names
    for name, value in names.items():
        if value == Library(library):
            return str(name)
    root = next((name for name, value in names.items() if value == Library("torch")), None)
    return f"{root}{library.removeprefix('torch')}" if root is not None and library != "torch" else None


def _span(text: str, node: ast.expr) -> tuple[int, int]:
    return _offset(text, node.lineno, node.col_offset), _offset(text, node.end_lineno, node.end_col_offset)


def _offset(text: str, line: int | None, column: int | None) -> int:
    """The place in the text of a line and a column, which Python counts in bytes."""
    start = 0
    for _ in range((line or 1) - 1):
        start = text.index("\n", start) + 1
    end = text.find("\n", start)
    written = text[start : end if end >= 0 else len(text)]
    if written.isascii():
        return start + (column or 0)
    return start + len(written.encode()[: column or 0].decode(errors="ignore"))


def applied(text: str, changes: Iterable[Change]) -> tuple[str, list[Change]]:
    """The text with as many of these changes as do not overlap, and those changes."""
    taken: list[Change] = []
    spans: list[tuple[int, int]] = []
    for change in changes:
        own = [(edit.start, edit.end) for edit in change.edits]
        if all(end < low or start > high for start, end in own for low, high in spans):
            taken.append(change)
            spans.extend(own)
    edits = sorted((edit for change in taken for edit in change.edits), key=lambda edit: edit.start, reverse=True)
    for edit in edits:
        text = text[: edit.start] + edit.text + text[edit.end :]
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return "", []
    return text, taken


def difference(text: str, change: Change) -> list[str]:
    """The changed lines of a fix, as a small diff."""
    after, taken = applied(text, [change])
    if not taken:
        return []
    import difflib

    lines = difflib.unified_diff(text.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def shown_code(text: str, change: Change) -> str:
    """The first line that a fix writes."""
    added = [line[1:].strip() for line in difference(text, change) if line.startswith("+")]
    return added[0] if added else ""


__all__ = ["Change", "Edit", "applied", "changes_for", "difference", "shown_code"]
