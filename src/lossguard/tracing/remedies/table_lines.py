"""The fix at the line that reads a table: without the rows that have no label, and labels of classes as integers."""

from __future__ import annotations

import ast
from typing import Any, Final

from lossguard.findings import Finding, Fix, Safety, Scope
from lossguard.records import dataclass, replace
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.sources import Source, source_of
from lossguard.tracing.remedies.rewriting import instead_of, rewritten, text_of

#: The losses whose labels are class indices.
_OF_CLASSES: Final = frozenset({"cross_entropy", "nll_loss", "multi_margin_loss"})


@dataclass(frozen=True, slots=True)
class Column:
    """A column of labels in a live table."""

    name: str
    values: Any
    #: Whether rows were dropped or filled on the way, so that more was missing when the table was read.
    emptied: bool
    #: Whether whole rows of the table are taken: what is whole in its column is not beside fractions in a row.
    by_rows: bool

    @property
    def missing(self) -> int:
        """How many of its values are missing."""
        return int(self.values.isna().sum())

    @property
    def is_whole(self) -> bool:
        """Whether all that is there are whole numbers."""
        try:
            return bool((self.values.dropna() % 1 == 0).all())
        except Exception:  # noqa: BLE001 - text, dates, another library's series
            return False


def table_fix(node: ast.expr | None, filename: str, finding: Finding, column: Column) -> Fix | None:
    """What to write instead of a call that reads a table; None if it reads none, or nothing holds good there."""
    source, of_classes = source_of(filename), finding.loss in _OF_CLASSES
    if source is None or not isinstance(node, ast.Call) or not called_name(node).startswith("read_"):
        return None
    if column.emptied or (of_classes and (column.by_rows or not column.is_whole)):
        return None  # what is read here is not what was seen later, or holds more than labels
    name = (
        f'"{column.name}"' if column.name.isprintable() and not {'"', chr(92)} & {*column.name} else repr(column.name)
    )
    cast = f'.astype({{{name}: "int64"}})' if of_classes else ""
    twin = next((fix for fix in finding.fixes if fix.checked), None)
    if not column.missing and not (twin and twin.only_batch):
        sound = cast and twin is not None and twin.safety is Safety.LOSSLESS
        return (
            _fix(f"make {name} integers", Safety.LOSSLESS, cast, twin.checked, node, source) if sound and twin else None
        )
    if twin is None or _is_read_for(column.name, node, source):
        return None
    # All labels were judged: those that are missing are dropped, and there must be no others.
    others = twin.only_batch and (not twin.only_batch.endswith("missing") or ";" in twin.only_batch)
    how = "the loss takes all other labels of the column" if twin.only_batch else twin.checked
    title = f"drops {column.missing:,} of {len(column.values):,} rows, which have no {name}"
    title = title if column.missing else f"drops the rows that have no {name}"
    more = f".dropna(subset=[{name}]).reset_index(drop=True){cast}"
    return _fix(title, Safety.CHANGES_VALUES, more, how, node, source) if not others else None


def limited(fix: Fix, column: Column) -> Fix:
    """A cast that was checked on one batch, in a column that has more labels than those."""
    if fix.safety is not Safety.LOSSLESS or not fix.checked or fix.only_batch or not column.missing:
        return fix
    labels = "1 label" if column.missing == 1 else f"{column.missing:,} labels"
    said = f'{labels} of the column "{column.name}" {"is" if column.missing == 1 else "are"} missing'
    return replace(fix, only_batch=said)


def _fix(title: str, safety: Safety, more: str, how: str, node: ast.expr, source: Source) -> Fix | None:
    line = rewritten(source, [instead_of(node, text_of(source, node) + more)])
    return None if line is None else Fix(title, safety, line.code, "", None, line.place, Scope.SOURCE, how)


def _is_read_for(column: str, node: ast.expr, source: Source) -> bool:
    """Whether nothing but this column is read of the table: the features are elsewhere, and would keep their rows."""
    statement = source.statement_of(node)
    target = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is node else None
    if target is None:
        return False
    uses = [
        source.parents[name]
        for name in ast.walk(source.tree)
        if isinstance(name, ast.Name | ast.Attribute)
        and isinstance(name.ctx, ast.Load)
        and ast.unparse(name) == ast.unparse(target)
    ]
    return all(
        (isinstance(use, ast.Subscript) and isinstance(use.slice, ast.Constant) and use.slice.value == column)
        or (isinstance(use, ast.Attribute) and use.attr == column)
        for use in uses
    )
