"""A finding in the source as users see it: its place, where its cause stands, and fixes as changed lines."""

from __future__ import annotations

import ast
import re
from typing import Any

from lossguard.findings import Finding, Origin, Place
from lossguard.lint.editing import changes_for, difference, shown_code
from lossguard.lint.judging import Found
from lossguard.lint.linting import Linted
from lossguard.lint.values import Data, Spot
from lossguard.lint.worlds import Named
from lossguard.paths import shown_path
from lossguard.records import replace


def told(found: Found) -> tuple[Linted, range]:
    """The finding with its place, origin and fixes, and the lines of the statement it is in."""
    source, node = found.source, found.node
    place = _place(source, node)
    changes = changes_for(found)
    fixes = [
        replace(change.fix, code=shown_code(source.text, change) or change.fix.code, place=place) for change in changes
    ]
    done = {change.fix.title for change in changes}
    fixes += [fix for fix in found.finding.fixes if fix.title not in done]
    finding = replace(
        found.finding,
        message=_plain(found.finding.message),
        evidence={name: _shown(value) for name, value in found.finding.evidence.items() if _is_known(value)},
        place=place,
        origin=_origin(found, node),
        fixes=tuple(fixes),
        # A cause that names the number of a size of which only the name is known says nothing.
        cause="" if re.search(r"\d,\d{3},\d{3}|\d{7}", found.finding.cause) else found.finding.cause,
        samples=(),
    )
    diff = tuple(difference(source.text, changes[0])) if changes else ()
    return Linted(finding, tuple(changes), diff), _statement(source, node)


def _plain(message: str) -> str:
    return re.sub(r"\b(?:some|2) (labels|values) of all( in)?", r"some \1\2", message)


def _place(source: Any, node: ast.expr) -> Place:
    line, file = node.lineno, shown_path(source.path)
    code = source.lines[line - 1].strip()
    if source.cells is not None:
        from lossguard.lint.notebooks import cell_at

        cell, line = cell_at(source.cells, line)
        file = f"{file}:cell {cell}"
    column = len(source.lines[node.lineno - 1].encode()[: node.col_offset].decode(errors="ignore")) + 1
    return Place(file, line, code, column)


def _origin(found: Found, node: ast.Call) -> tuple[Origin, ...]:
    """The line that made the argument what it is, if that is another one."""
    value = found.values.get(found.finding.argument)
    spot = _spot(found.finding, value) if isinstance(value, Data) else None
    if spot is None or (spot.module is found.source and spot.node.lineno == node.lineno):
        return ()
    after = _after(found.finding, value) if isinstance(value, Data) else ""
    return (Origin(_place(spot.module, spot.node), after=after),)


def _spot(finding: Finding, value: Data) -> Spot | None:
    if finding.code.startswith("LG1"):
        return value.dtype_at
    if finding.code.startswith("LG4"):
        return value.shape_at
    return value.maker_at if finding.code.startswith("LG3") or finding.code == "LG206" else None


def _after(finding: Finding, value: Data) -> str:
    if finding.code.startswith("LG1"):
        return value.dtype or ""
    if finding.code.startswith("LG4") and value.shape is not None:
        return "[" + ", ".join(str(getattr(size, "name", size)) for size in value.shape) + "]"
    return str(value.maker or "")


def _is_known(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return True
    return (
        not isinstance(value, Named) and value not in {0, ""}
        if isinstance(value, str | int | float)
        else value is not None
    )


def _shown(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_shown(item) for item in value]
    return str(value) if isinstance(value, Named) else value


def _statement(source: Any, node: ast.expr) -> range:
    """The lines of the statement that a call stands in."""
    best = (node.lineno, node.end_lineno or node.lineno)
    for statement in ast.walk(source.parse()):
        if isinstance(statement, ast.stmt) and not hasattr(statement, "body"):
            first, last = statement.lineno, statement.end_lineno or statement.lineno
            if first <= node.lineno <= last and last - first >= best[1] - best[0]:
                best = (first, last)
    return range(best[0], best[1] + 1)
