"""Tables and columns of pandas: what is known of a column, by its name, through rows, lookups and functions."""

from __future__ import annotations

import ast
import math
from typing import Any, Final

from lossguard.lint.arguments import Arguments
from lossguard.lint.joining import element_of
from lossguard.lint.shaping import literal
from lossguard.lint.values import (
    Const,
    Data,
    Fraction,
    Function,
    Library,
    Loader,
    Number,
    Seq,
    Spot,
    Symbol,
    Table,
    Truth,
    Unknown,
    Value,
    Whole,
    number_kind,
    numbers_of,
    replace,
)
from lossguard.lint.valuing import with_items

_DTYPES: Final = {Whole: "int64", Fraction: "float64", Truth: "bool"}
#: What stands before the brackets in which rows are named.
LOCATORS: Final = frozenset({"iloc", "loc", "at", "iat"})


def frame_of(arguments: Arguments, spot: Spot) -> Value:
    """`pd.DataFrame({...})`: a table whose columns are written down, or one of which nothing is known."""
    given = arguments.get(0, "data")
    columns: dict[str, Any] = {}
    if isinstance(given, Table):
        columns = {str(name): as_column(value, spot) for name, value in given.items.items()}
    return Data(kind="frame", columns=columns)


def as_column(value: Value, spot: Spot) -> Data:
    """A value as a column of a table."""
    rows = Symbol("n", plural=True)
    if isinstance(value, Data):
        shape = value.shape or (rows,)
        return replace(value, kind="series", shape=shape, maker=None, device=None)
    items = literal(_with_gaps(value)) if isinstance(value, Seq) else None
    if isinstance(items, list) and items:
        kinds = {type(item) for item in items}
        floating = float in kinds
        dtype = "bool" if kinds == {bool} else "float64" if floating else "int64" if kinds == {int} else None
        made = with_items(Data(kind="series", dtype=dtype, dtype_at=spot), items)
        return replace(made, missing=any(item != item for item in items))  # noqa: PLR0124 - NaN
    element = element_of(value) if isinstance(value, Seq) else value.element if isinstance(value, Loader) else value
    return column_of(element, spot)


def _with_gaps(sequence: Seq) -> Seq:
    """Numbers as a column has them: None among them is NaN."""
    items = sequence.items or ()
    if Const(None) not in items or not any(number_kind(item) for item in items):
        return sequence
    return Seq(sequence.kind, tuple(Const(math.nan) if item == Const(None) else item for item in items))


def column_of(element: Value | None, spot: Spot) -> Data:
    """A column by what each of its entries is."""
    bare = Data(kind="series", shape=(Symbol("n", plural=True),))
    kind = None if element is None else number_kind(element)
    if element is None or kind is None or kind not in _DTYPES:
        return bare
    complete = isinstance(element, Number) and element.complete
    made = replace(bare, dtype=_DTYPES[kind], dtype_at=spot, holds=numbers_of(element), complete=complete)
    return made if kind is Fraction else replace(made, fractional=False)


def column(frame: Data, key: Value) -> Value:
    """What `frame[key]` is: a column, or a table of some of them."""
    rows = Symbol("n", plural=True)
    if isinstance(key, Const) and isinstance(key.value, str):
        found: Value = frame.columns.get(key.value, Data(kind="series", shape=(rows,)))
        return found
    if isinstance(key, Seq):
        names = [item.value for item in key.items or () if isinstance(item, Const) and isinstance(item.value, str)]
        width = len(key.items) if key.items is not None else Symbol("n")
        dtypes = {frame.columns[name].dtype if name in frame.columns else None for name in names}
        kept = {name: frame.columns[name] for name in names if name in frame.columns}
        dtype = dtypes.pop() if len(dtypes) == 1 and len(names) == width else None
        return Data(kind="frame", dtype=dtype, shape=(rows, width), columns=kept)
    if isinstance(key, Data) and key.dtype == "bool":
        return replace(frame, shape=None, columns={name: _some(each) for name, each in frame.columns.items()})
    return Unknown()


def _some(series: Data) -> Data:
    """Some entries of a column: what is among all of them may be left out."""
    shape = (Symbol("n", plural=True),)
    return replace(series, shape=shape, items=None, holds=(), complete=False, missing=False)


def located(data: Data, keys: list[Value], places: list[ast.expr]) -> Value:
    """What `x.iloc[...]` and `x.loc[...]` give: entries of a column, rows of a table."""
    is_slice = isinstance(places[0], ast.Slice)
    if data.kind == "series":
        return _some(data) if is_slice else entry(data)
    if len(keys) == 2 and isinstance(keys[1], Const) and isinstance(keys[1].value, str):
        found = column(data, keys[1])
        if not isinstance(found, Data):
            return Unknown()
        return found if is_slice else entry(found) if isinstance(keys[0], Number | Const) else Unknown()
    if is_slice and len(keys) == 1:
        return replace(data, shape=None, columns={name: _some(each) for name, each in data.columns.items()})
    return _row(data) if len(keys) == 1 and isinstance(keys[0], Number | Const) else Unknown()


def _row(frame: Data) -> Value:
    """One row: its entries have one dtype, which is known only where all columns have it."""
    dtypes = {each.dtype for each in frame.columns.values()}
    if not frame.columns or len(dtypes) != 1 or None in dtypes:
        return Unknown()
    return Table({name: entry(each) for name, each in frame.columns.items()})


def entry(series: Data) -> Value:
    """One entry of a column, as it comes in turn."""
    return replace(series, kind="number", shape=(), items=None)


def mapped(interpreter: Any, series: Data, function: Value, spot: Spot) -> Value:
    """`series.map(...)` and `series.apply(...)`: by a dict, or by a function of each entry."""
    if isinstance(function, Table):
        values = list(function.items.values())
        made = column_of(element_of(Seq("list", tuple(values))), spot) if values else Data(kind="series")
        # Where a key is missing the result is NaN, and its dtype is floating.
        return replace(made, dtype=made.dtype if made.dtype == "float64" else None, complete=False)
    if isinstance(function, Function | Library):
        element: Value = Unknown() if series.dtype is None else entry(series)
        return column_of(interpreter.apply(function, _plain(element)), spot)
    return Data(kind="series", shape=series.shape)


def _plain(element: Value) -> Value:
    """An entry of a column as a number of Python, so that arithmetic on it is known."""
    if isinstance(element, Data) and element.dtype in {"int64", "float64", "bool"}:
        kinds = {"int64": Whole, "float64": Fraction, "bool": Truth}
        return kinds[element.dtype](holds=element.holds, complete=element.complete)
    return element


def with_column(frame: Data, key: Value, value: Value, spot: Spot) -> Data:
    """The table after `frame[key] = value`."""
    if isinstance(key, Const) and isinstance(key.value, str):
        return replace(frame, shape=None, columns={**frame.columns, key.value: as_column(value, spot)})
    return replace(frame, shape=None, columns={})
