"""What a data frame that is still alive says about a column: why it is floating, how much of it is missing."""

from __future__ import annotations

import ast
from typing import Any

from lossguard.tracing.links.statements import Statement
from lossguard.tracing.values.evaluating import UNKNOWN


def range_note(series: Any, name: str = "") -> str:
    """`column "label": values from 1 to 10`; empty if these are no numbers."""
    try:
        lowest, highest = float(series.min()), float(series.max())
    except Exception:  # noqa: BLE001 - text, dates, another library's series
        return ""
    called = f'column "{name}"' if name else "the column"
    return f"{called}: values from {lowest:g} to {highest:g}" if lowest <= highest else ""


def column_note(series: Any, name: str = "") -> str:
    """`column "label": 3 of 90 values are missing, which makes it float64`; empty if there is nothing to say."""
    if not hasattr(series, "isna") or not hasattr(series, "to_numpy"):
        return ""
    try:
        missing, total = int(series.isna().sum()), len(series)
        dtype = str(series.dtype)
    except Exception:  # noqa: BLE001 - another library's series may lack any of it
        return ""
    label = name or str(getattr(series, "name", "") or "")
    called = f'column "{label}"' if label else "the column"
    if missing:
        are = "is" if missing == 1 else "are"
        makes = f", which makes it {dtype}" if dtype.startswith("float") else ""
        return f"{called}: {missing} of {total} values {are} missing{makes}"
    return f"{called}: {dtype}, none of {total} values is missing" if dtype.startswith("float") else ""


def unmapped_note(series: Any, table: Any) -> str:
    """`"Setosa" is no key of the table`; empty if all are, or that cannot be told."""
    if not isinstance(table, dict) or not hasattr(series, "dropna"):
        return ""
    try:
        absent = [value for value in series.dropna().unique().tolist() if value not in table]
    except Exception:  # noqa: BLE001 - another library's series, values that have no hash
        return ""
    shown = ", ".join(map(repr, absent[:3])) + ", ..." * (len(absent) > 3)
    return f"{shown} {'is no key' if len(absent) == 1 else 'are no keys'} of the table" if absent else ""


def column_in(node: ast.AST, at: Statement) -> tuple[str, Any] | None:
    """The column of a live frame that an expression reads: its name and the series."""
    for inner in ast.walk(node):
        key: Any = UNKNOWN
        if isinstance(inner, ast.Subscript):
            key = at.evaluate(inner.slice)
            if isinstance(key, tuple) and len(key) == 2:
                key = key[1]
        elif isinstance(inner, ast.Attribute):
            key = inner.attr
        if not isinstance(key, str):
            continue
        frame = at.evaluate(_frame_of(inner))
        if hasattr(frame, "iloc") and key in getattr(frame, "columns", ()):
            return key, frame[key]
    return None


def row_column_in(places: list[tuple[ast.AST, Statement]]) -> tuple[str, Any] | None:
    """The column that is read from a row of a live frame, when row and entry are taken at different lines."""
    frames = [frame for node, at in places for inner in ast.walk(node) if (frame := _rows_of(inner, at)) is not None]
    keys = [
        inner.slice.value
        for node, _ in places
        for inner in ast.walk(node)
        if isinstance(inner, ast.Subscript) and isinstance(inner.slice, ast.Constant)
    ]
    found = {key: frame for frame in frames for key in keys if isinstance(key, str) and key in list(frame.columns)}
    if len(found) != 1:
        return None
    ((key, frame),) = found.items()
    return key, frame[key]


def _rows_of(node: ast.AST, at: Statement) -> Any:
    """The live frame whose rows an expression takes by position or label; None if it is none."""
    base = getattr(node, "value", None)
    if not isinstance(node, ast.Subscript) or not isinstance(base, ast.Attribute) or base.attr not in {"iloc", "loc"}:
        return None
    frame = at.evaluate(base.value)
    return frame if hasattr(frame, "columns") else None


def _frame_of(node: ast.AST) -> ast.AST:
    base = getattr(node, "value", node)
    return base.value if isinstance(base, ast.Attribute) and base.attr in {"loc", "iloc", "at"} else base
