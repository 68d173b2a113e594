"""What the footers of Parquet files say by themselves: range and missing values of a column of integers."""

from __future__ import annotations

from typing import Any

from lossguard.audit.column import Column
from lossguard.audit.demand import Demand
from lossguard.audit.feeding import NUMBERS
from lossguard.audit.sources.part import Source
from lossguard.audit.sources.tables import ParquetPart, footer_of
from lossguard.contracts.contract import Bounds
from lossguard.facts.facts import Facts


def columns_from_footers(source: Source, demand: Demand) -> list[Column] | None:
    """A column for each part if the footers prove that every label is a class; None if they leave anything open.

    A footer is trusted for integers only, with its range and its count of missing values both there. Floats may
    hide NaN and fractions, strings may be cut off, and whatever is out of range must be read for its rows.
    """
    if demand.classes is None or not demand.is_of_classes or not source.parts:
        return None
    columns: list[Column] = []
    footers: dict[str, Any] = {}
    for part in source.parts:
        if not isinstance(part, ParquetPart) or part.constant is not None or demand.bounds is None:
            return None
        if part.path not in footers:
            footers[part.path] = footer = footer_of(part.path)
            dtype, place = _place(footer, part.column)
        found = _from_footer(footers[part.path], part.groups, dtype, place, demand.bounds)
        if found is None:
            return None
        columns.append(found)
    return columns


def _place(footer: Any, column: str) -> tuple[str, int]:
    """The dtype of a column and its number in the row groups; it has none if it stands inside of another."""
    schema = footer.schema.to_arrow_schema()
    if column not in schema.names:
        return "", -1
    paths = [footer.schema.column(number).path for number in range(len(footer.schema.names))]
    dtype = NUMBERS.get(schema.field(column).type, "")
    return dtype, paths.index(column) if column in paths else -1


def _from_footer(footer: Any, groups: tuple[int, ...], dtype: str, place: int, bounds: Bounds) -> Column | None:
    if not dtype.startswith("int") or place < 0:
        return None
    stats = [footer.row_group(group).column(place).statistics for group in groups]
    rows = sum(footer.row_group(group).num_rows for group in groups)
    if not stats or not all(map(_is_told, stats)):
        return None
    low, high = min(each.min for each in stats), max(each.max for each in stats)
    within = bounds.least <= low <= high < bounds.limit
    ignore = bounds.ignore
    if not within or any(each.null_count for each in stats) or (ignore is not None and low <= ignore <= high):
        return None
    nothing: dict[str, Any] = dict.fromkeys(
        ("nan", "null", "positive_infinity", "negative_infinity", "fractional", "inexact"), 0
    )
    around: dict[str, Any] = dict.fromkeys(("ignored", "below", "above", "excluded"), 0)
    facts = Facts(
        kind="tensor",
        dtype=dtype,
        device="cpu",
        storage="strided",
        count=rows,
        smallest=low,
        largest=high,
        bounds=bounds,
        below_values={},
        above_values={},
        **nothing,
        **around,
    )
    return Column(facts, rows, inner=())


def _is_told(stats: Any) -> bool:
    """Whether a footer has all that is needed, and it makes sense."""
    return (
        stats is not None
        and stats.has_min_max
        and stats.has_null_count
        and isinstance(stats.min, int)
        and isinstance(stats.max, int)
        and stats.min <= stats.max
    )
