"""What the footers of Parquet files say by themselves: range and missing values of a column of integers."""

from __future__ import annotations

from typing import Any

from lossguard.audit.column import Column
from lossguard.audit.demand import Demand
from lossguard.audit.feeding import NUMBERS
from lossguard.audit.sources.part import Source
from lossguard.audit.sources.tables import ParquetPart, open_parquet
from lossguard.facts.facts import Facts


def columns_from_footers(source: Source, demand: Demand) -> list[Column] | None:
    """A column for each part if the footers prove that every label is a class; None if they leave anything open.

    A footer is trusted for integers only, with its range and its count of missing values both there. Floats may
    hide NaN and fractions, strings may be cut off, and whatever is out of range must be read for its rows.
    """
    if demand.classes is None or not demand.is_of_classes or not source.parts:
        return None
    columns: list[Column] = []
    for part in source.parts:
        found = _from_footer(part, demand) if isinstance(part, ParquetPart) and part.constant is None else None
        if found is None:
            return None
        columns.append(found)
    return columns


def _from_footer(part: ParquetPart, demand: Demand) -> Column | None:
    bounds = demand.bounds
    with open_parquet(part.path) as file:
        schema = file.schema_arrow
        if bounds is None or part.column not in schema.names:
            return None
        dtype = NUMBERS.get(schema.field(part.column).type, "")
        place = [file.schema.column(n).path for n in range(len(file.schema.names))].index(part.column)
        stats = [file.metadata.row_group(group).column(place).statistics for group in part.groups]
        rows = sum(file.metadata.row_group(group).num_rows for group in part.groups)
    if not dtype.startswith("int") or not stats or not all(map(_is_told, stats)):
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
