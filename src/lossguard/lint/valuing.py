"""What calls of libraries do to values: which numbers are among the results, and whether they are whole."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from lossguard.contracts.dtypes import INT64_MIN, is_floating, is_whole
from lossguard.lint.arguments import Arguments
from lossguard.lint.joining import element_of
from lossguard.lint.shaping import literal_shape
from lossguard.lint.values import Const, Data, Number, Seq, Value, number_kind, numbers_of, replace
from lossguard.operations.operation import Operation

#: What gives each entry one of these two values.
_TRUTH: Final = (0, 1)
#: Where the constant stands with which places are filled, and whether no other values are left.
_FILLS: Final[dict[str, tuple[int, tuple[str, ...], bool]]] = {
    "fill_": (1, ("value",), True),
    "fillna": (1, ("value",), False),
    "full": (1, ("fill_value",), True),
    "full_like": (1, ("fill_value",), True),
    "masked_fill": (2, ("value",), False),
    "masked_fill_": (2, ("value",), False),
    "new_full": (2, ("fill_value",), True),
    "pad": (3, ("value", "constant_values"), False),
    "pad_sequence": (2, ("padding_value",), False),
}
#: Calls after which nothing is missing any more.
_FILLED_UP: Final = frozenset({"fillna", "dropna", "nan_to_num", "interpolate", "ffill", "bfill"})


def with_values(row: Operation, arguments: Arguments, data: Data, result: Data) -> Data:
    """The result of a call with what is known of its values."""
    if (known := _BY_NAME.get(row.name)) is not None:
        return known(arguments, result)
    if row.axes & {"joined", "stacked"}:
        return _of_parts(arguments.get(0, "tensors", "arrays"), result)
    if row.name in _FILLS:
        return _filled(row.name, arguments, data, result)
    if result.dtype == "bool" and "cast" not in row.dtype:
        return replace(result, holds=_TRUTH, complete=True, fractional=False)
    if "same" in row.values or "kept" in row.meaning or "cast" in row.dtype:
        return _kept(row, data, result)
    gaps = "edge-gaps" in row.finiteness and data.kind == "series"
    return replace(result, missing=True) if gaps else result


def with_rows(row: Operation, frame: Data) -> dict[str, Data]:
    """The columns of a table of which rows were moved, left out or filled up."""
    moved = {name: replace(column, items=None) for name, column in frame.columns.items()}
    if row.name not in _FILLED_UP:
        return moved
    return {name: replace(column, missing=False) for name, column in moved.items()}


def _counted(arguments: Arguments, result: Data) -> Data:
    """The numbers of `arange(stop)` and `arange(start, stop)`, where these are written down."""
    ends = [value.value for value in arguments.args if isinstance(value, Const) and isinstance(value.value, int)]
    low, high = (0, *ends) if len(ends) == 1 else ends if len(ends) == 2 else (0, 0)
    if len(ends) != len(arguments.args) or high <= low:
        return result
    return replace(result, holds=(low, high - 1), complete=True, fractional=False)


def _picked_from(arguments: Arguments, result: Data) -> Data:
    """What `choice` draws: a number stands for all below it."""
    given = arguments.get(0, "a")
    if isinstance(given, Const) and type(given.value) is int and given.value > 1:
        return replace(result, holds=(0, given.value - 1), complete=True, fractional=False)
    element = element_of(given) if isinstance(given, Seq) else None
    held = () if element is None else numbers_of(element)
    return replace(result, holds=held, complete=isinstance(element, Number) and element.complete)


def _of_parts(given: Value | None, result: Data) -> Data:
    """What is among the parts is among the whole."""
    parts = (
        list(given.items or ((given.element,) if given.element is not None else ())) if isinstance(given, Seq) else []
    )
    known = [part for part in parts if isinstance(part, Data)]
    held = sorted({number for part in known for number in part.holds})
    if not known:
        return result
    return replace(
        result,
        holds=(held[0], held[-1]) if len(held) > 1 else tuple(held),
        complete=len(known) == len(parts) and all(part.complete for part in known),
        fractional=False if len(known) == len(parts) and all(part.fractional is False for part in known) else None,
        missing=any(part.missing for part in known),
    )


def _filled(name: str, arguments: Arguments, data: Data, result: Data) -> Data:
    place, names, complete = _FILLS[name]
    number = arguments.constant(place, *names, default=0 if name.startswith("pad") else None)
    known = isinstance(number, int | float) and math.isfinite(number)
    whole = known and number == int(number) and (complete or data.fractional is False)
    kept = replace(result, fractional=False if whole else None, missing=data.missing and name not in _FILLED_UP)
    if not complete and not known:
        return kept
    filled = replace(kept, holds=(number,) if known else (), complete=complete and known)
    width = result.shape[-1] if result.shape else None
    if complete and known and isinstance(width, int):
        filled = replace(filled, row_sum=number * width)
    return recast_numbers(filled)


def _chosen(arguments: Arguments, result: Data) -> Data:
    """`where`: the numbers that are written down are among the results."""
    sides = arguments.args[1:3]
    held = sorted(
        {number for side in sides if number_kind(side) for number in numbers_of(side) if math.isfinite(number)}
    )
    complete = len(sides) == 2 and all(isinstance(side, Const) for side in sides)
    whole = all(number == int(number) for number in held) and complete
    missing = any(number != number for side in sides for number in numbers_of(side))  # noqa: PLR0124 - NaN
    return replace(result, holds=tuple(held), complete=complete, fractional=False if whole else None, missing=missing)


def flatten(items: Any) -> Any:
    """The numbers of nested lists, one after the other."""
    if isinstance(items, list | tuple):
        for item in items:
            yield from flatten(item)
    else:
        yield items


def with_items(data: Data, items: Any) -> Data:
    """Data whose values are written down."""
    flat = [item for item in flatten(items) if isinstance(item, int) or math.isfinite(item)]
    fractional = any(item != int(item) for item in flat)
    shape = literal_shape(items)
    ends = (min(flat), max(flat)) if flat else ()
    return replace(data, items=items, shape=shape, holds=ends, complete=bool(flat), fractional=fractional)


def _drawn(arguments: Arguments, result: Data) -> Data:
    """The bounds of random whole numbers, where they are written down."""
    low, high = arguments.constant(0, "low"), arguments.constant(1, "high")
    if not isinstance(high, int) or isinstance(arguments.get(1), Seq):
        low, high = 0, arguments.constant(0, "high", "low")
    if not isinstance(low, int) or not isinstance(high, int) or high <= low:
        return replace(result, fractional=False)
    return replace(result, holds=(low, high - 1), complete=True, fractional=False)


def _kept(row: Operation, data: Data, result: Data) -> Data:
    """The values of the operand, as they come through a move or a cast."""
    items = data.items if data.shape == result.shape and row.axes <= {"as-given"} else None
    one_hot = data.one_hot and (result.shape == data.shape or row.axes <= {"as-given"}) and not row.axes & {"permuted"}
    kept = replace(
        result,
        holds=data.holds,
        complete=data.complete,
        fractional=data.fractional,
        items=items,
        one_hot=one_hot,
        row_sum=data.row_sum if one_hot or row.axes <= {"as-given"} else None,
        missing=data.missing and row.name not in _FILLED_UP,
    )
    return recast(data, kept)


def recast(data: Data, result: Data) -> Data:
    """What a cast does to values: fractions are cut off, truth values are made."""
    if result.dtype == data.dtype or result.dtype is None:
        return result
    if data.missing and is_whole(result.dtype) and result.dtype != "bool":
        # A missing number becomes the smallest integer there is.
        return replace(result, holds=(INT64_MIN,), complete=False, items=None, fractional=False, missing=False)
    if result.dtype == "bool":
        return replace(result, holds=(), complete=False, items=None, fractional=False)
    narrow = result.dtype in {"int8", "uint8", "int16"}
    cut = data.fractional is not False and not is_whole(data.dtype or "")
    if is_whole(result.dtype) and (cut or narrow):
        return replace(result, holds=(), complete=False, items=None, fractional=False, one_hot=False)
    return result


def recast_numbers(data: Data) -> Data:
    """Numbers as their dtype holds them: one that does not fit is none of them."""
    if data.dtype is None or not data.holds or is_floating(data.dtype):
        return data
    low, high = (0, 255) if data.dtype == "uint8" else (-128, 127) if data.dtype == "int8" else (-(2**63), 2**63)
    fits = all(low <= number <= high and number == int(number) for number in data.holds)
    return data if fits else replace(data, holds=(), complete=False)


def _rows_of_one(_arguments: Arguments, result: Data) -> Data:
    return replace(result, one_hot=True, holds=_TRUTH, complete=True, fractional=False, row_sum=1.0)


def _zeros(_arguments: Arguments, result: Data) -> Data:
    return replace(result, holds=(0,), complete=True, fractional=False)


def _ones(_arguments: Arguments, result: Data) -> Data:
    return replace(result, holds=(1,), complete=True, fractional=False)


def _fractions(_arguments: Arguments, result: Data) -> Data:
    return replace(result, fractional=True if result.dtype is None or is_floating(result.dtype) else None)


#: Calls that make values of their own, by their names.
_BY_NAME: Final[dict[str, Callable[[Arguments, Data], Data]]] = {
    **dict.fromkeys(("one_hot", "eye"), _rows_of_one),
    **dict.fromkeys(("randint", "integers"), _drawn),
    **dict.fromkeys(("arange", "randperm"), _counted),
    **dict.fromkeys(("zeros", "zeros_like", "zero_"), _zeros),
    **dict.fromkeys(("ones", "ones_like"), _ones),
    **dict.fromkeys(("rand", "rand_like", "randn", "randn_like", "uniform", "normal"), _fractions),
    "choice": _picked_from,
    "where": _chosen,
}
