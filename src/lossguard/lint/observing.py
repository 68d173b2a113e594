"""From values of the interpretation to facts, as the judge takes them."""

from __future__ import annotations

import math
from typing import Any, Final

from lossguard.contracts.contract import Bounds
from lossguard.contracts.dtypes import is_floating
from lossguard.facts import from_values
from lossguard.facts.facts import Facts, Rows
from lossguard.lint.effects import flatten, softmax_axis
from lossguard.lint.values import Const, Data, Seq, Table, Value, replace
from lossguard.lint.worlds import ALL, SOME, World, resolved

#: Rows of one 1 and zeros, as many as there are.
_ONE_HOT: Final = Rows(
    read=SOME,
    probabilities=SOME,
    rounded_probabilities=SOME,
    one_hot=SOME,
    whole=SOME,
    positive=SOME,
    single=SOME,
    least_sum=1.0,
    greatest_sum=1.0,
)
#: Rows of whole numbers, some above 1.
_WHOLE: Final = Rows(read=SOME, whole=SOME, positive=SOME, least_sum=math.inf, greatest_sum=-math.inf)
_KINDS: Final = {"tensor": "tensor", "array": "array", "series": "Series", "frame": "DataFrame", "number": "number"}


def describe(value: Value, world: World) -> Facts:
    """What is known of an argument, its values left aside."""
    if isinstance(value, Data):
        return Facts(
            kind=None if value.kind is None else _KINDS[value.kind],
            dtype=value.dtype,
            shape=None if value.shape is None else resolved(value.shape, world),
            device=value.device,
            count=None if value.shape is None or not all(isinstance(s, int) for s in value.shape) else _count(value),
            outputs_last=value.outputs_last or None,
            maker=value.maker,
            softmax_axis=softmax_axis(value),
        )
    if isinstance(value, Const):
        known = isinstance(value.value, bool | int | float | type(None))
        return from_values.observe(value.value) if known else Facts()
    if isinstance(value, Seq):
        return Facts(kind=value.kind)
    return Facts(kind="dict") if isinstance(value, Table) else Facts()


def _count(data: Data) -> int:
    return math.prod(size for size in data.shape or () if isinstance(size, int))


def with_values(facts: Facts, value: Value, bounds: Bounds | None) -> Facts:
    """The facts with what is known of the values."""
    if not isinstance(value, Data):
        return facts
    facts = replace(facts, rows=_rows(value))
    if value.items is not None:
        return _of_items(facts, value, bounds)
    if value.missing:
        facts = replace(facts, nan=SOME, count=facts.count if facts.count is not None else ALL)
    count: Any = facts.count if facts.count is not None else ALL
    if value.fractional is not None and (value.fractional or value.complete):
        facts = replace(facts, count=count, fractional=SOME if value.fractional else 0)
    if value.fractional and facts.dtype is not None and not is_floating(facts.dtype):
        facts = replace(facts, fractional=None)
    if not value.holds:
        return facts
    if value.complete:
        low, high = min(value.holds), max(value.holds)
        facts = replace(facts, smallest=low, largest=high, count=count, nan=0)
        facts = replace(facts, positive_infinity=0, negative_infinity=0)
    return facts if bounds is None else _relative(replace(facts, count=count), value, bounds)


def _rows(value: Data) -> Rows | None:
    """What the rows along the last axis are known to be."""
    if value.one_hot:
        return _ONE_HOT
    if value.row_sum is not None and (value.dtype is None or is_floating(value.dtype)):
        return _with_sum(value.row_sum)
    whole = value.complete and value.fractional is False and min(value.holds) >= 0 and max(value.holds) > 1
    return _WHOLE if whole else None


def _with_sum(total: float) -> Rows:
    """Rows of which only the sum is known."""
    is_one = abs(total - 1) < 1e-4
    known = SOME if is_one else 0
    return replace(
        _ONE_HOT,
        probabilities=known,
        rounded_probabilities=known,
        one_hot=0,
        whole=0,
        single=0,
        least_sum=total,
        greatest_sum=total,
    )


def _of_items(facts: Facts, value: Data, bounds: Bounds | None) -> Facts:
    items = list(flatten(value.items))
    seen = from_values.observe(items, bounds)
    known = {name: getattr(seen, name) for name in _VALUES}
    return replace(facts, **known, count=len(items))


_VALUES: Final = (
    *("smallest", "largest", "nan", "positive_infinity", "negative_infinity", "fractional", "bounds", "ignored"),
    *("below", "above", "below_values", "above_values"),
)


def _relative(facts: Facts, value: Data, bounds: Bounds) -> Facts:
    """Which of the known values are out of bounds."""
    below = {held: SOME for held in value.holds if held < bounds.least and held != bounds.ignore}
    above = {held: SOME for held in value.holds if _is_above(held, bounds) and held != bounds.ignore}
    if not (below or above or value.complete or bounds.excluded in value.holds):
        return facts
    ignored = any(held == bounds.ignore for held in value.holds)
    every = value.complete and all(held == bounds.ignore for held in value.holds)
    return replace(
        facts,
        smallest=min(value.holds),
        largest=max(value.holds),
        bounds=bounds,
        below=SOME if below else 0,
        above=SOME if above else 0,
        below_values=below,
        above_values=above,
        ignored=facts.count if every else SOME if ignored else 0,
        excluded=_excluded(value, bounds),
    )


def _excluded(value: Data, bounds: Bounds) -> int | None:
    """How many values are the one that none may be; None if that is not known."""
    if bounds.excluded is None or bounds.excluded in value.holds:
        return None if bounds.excluded is None else SOME
    beyond = not min(value.holds) <= bounds.excluded <= max(value.holds)
    return 0 if value.complete and beyond else None


def _is_above(held: float, bounds: Bounds) -> bool:
    return held > bounds.limit if bounds.closed and not bounds.whole else held >= bounds.limit
