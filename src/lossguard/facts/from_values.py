"""Facts of what is no tensor: lists, tuples, numpy arrays, single numbers, None and strangers.

Nothing is imported: an array brings its own numpy along.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from lossguard.contracts.contract import Bounds
from lossguard.facts.facts import REMEMBERED, Facts, Number, Offender, nearest_above, nearest_below
from lossguard.interruptions import let_through
from lossguard.records import replace

#: No more numbers than this are read from nested lists.
_NUMBERS_READ = 1_000_000
#: A tensor has no more axes than this.
_DEEPEST = 64
#: A whole number beyond this is as good as infinite: no dtype holds it, and it cannot always be written out.
_LARGEST = 10**30


def kind_of(value: Any) -> str:
    """What a report calls this kind of thing."""
    if value is None:
        return "none"
    if _is_array(value):
        return "array"
    return type(value).__name__


def observe(value: Any, bounds: Bounds | None = None) -> Facts:
    """Facts of `value`, which is no tensor: its kind always, shape and numbers where it has them."""
    kind = kind_of(value)
    if _is_array(value):
        return _observe_array(value, kind, bounds)
    if isinstance(value, bool | int | float):
        return _observe_numbers([((), value)], kind, (), bounds)
    if isinstance(value, list | tuple):
        try:
            return _observe_sequence(value, kind, bounds)
        except Exception as error:  # noqa: BLE001 - a class of the user's may refuse to be measured or gone through
            let_through(error)
            return Facts(kind=kind)
    return Facts(kind=kind)


def _observe_sequence(value: list[Any] | tuple[Any, ...], kind: str, bounds: Bounds | None) -> Facts:
    shape = _shape_of(value)
    if shape is None or math.prod(shape) > _NUMBERS_READ:
        return Facts(kind=kind, shape=shape)
    numbers = list(_walk(value, ()))
    if all(isinstance(number, bool | int | float) for _, number in numbers):
        return _observe_numbers(numbers, kind, shape, bounds)
    return Facts(kind=kind, shape=shape)


def _is_array(value: Any) -> bool:
    return type(value).__module__ == "numpy" and hasattr(value, "dtype") and hasattr(value, "tolist")


def _observe_array(array: Any, kind: str, bounds: Bounds | None) -> Facts:
    shape = tuple(array.shape)
    if array.dtype.kind not in "biuf" or array.size > _NUMBERS_READ:
        return Facts(kind=kind, dtype=str(array.dtype), shape=shape, count=int(array.size))
    nested = array.tolist()
    numbers: list[tuple[tuple[int, ...], Number]] = list(_walk(nested, ())) if shape else [((), nested)]
    facts = _observe_numbers(numbers, kind, shape, bounds)
    return replace(facts, dtype=str(array.dtype))


def _shape_of(value: Any) -> tuple[int, ...] | None:
    """The shape of nested sequences, None when they are ragged, too deep for any tensor, or hold themselves."""
    return _measured(value, {}, _DEEPEST)


def _measured(value: Any, known: dict[int, tuple[int, ...] | None], levels: int) -> tuple[int, ...] | None:
    """The shape of `value`, found once for each list in it; a list that is being measured has none yet."""
    if not isinstance(value, list | tuple):
        return ()
    if id(value) not in known:
        known[id(value)] = None
        inner = {_measured(item, known, levels - 1) for item in value} if levels else {None}
        known[id(value)] = None if len(inner) > 1 or None in inner else (len(value), *next(iter(inner), ()))  # type: ignore[misc]
    return known[id(value)]


def _walk(value: Sequence[Any], position: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Any]]:
    for index, item in enumerate(value):
        if isinstance(item, list | tuple):
            yield from _walk(item, (*position, index))
        else:
            yield (*position, index), item


def _observe_numbers(
    numbers: list[tuple[tuple[int, ...], Number]], kind: str, shape: tuple[int, ...], bounds: Bounds | None
) -> Facts:
    numbers = [(position, _within_reach(value)) for position, value in numbers]
    finite = [value for _, value in numbers if isinstance(value, int) or math.isfinite(value)]
    offenders: list[Offender] = []
    tallies: dict[str, dict[Number, int]] = {"below": {}, "above": {}}
    counts = dict.fromkeys(("nan", "positive_infinity", "negative_infinity", "fractional", "ignored"), 0)
    for position, value in numbers:
        verdict = _sort_out(value, bounds)
        if verdict in tallies:
            tallies[verdict][value] = tallies[verdict].get(value, 0) + 1
        elif verdict:
            counts[verdict] += 1
        if verdict and verdict != "ignored" and len(offenders) < REMEMBERED:
            offenders.append(Offender(value, position))
    known = bounds is not None
    return Facts(
        kind=kind,
        shape=shape,
        count=len(numbers),
        smallest=min(finite, default=math.inf),
        largest=max(finite, default=-math.inf),
        nan=counts["nan"],
        positive_infinity=counts["positive_infinity"],
        negative_infinity=counts["negative_infinity"],
        fractional=counts["fractional"] if known else None,
        bounds=bounds,
        ignored=counts["ignored"] if known else None,
        below=sum(tallies["below"].values()) if known else None,
        above=sum(tallies["above"].values()) if known else None,
        below_values=nearest_below(tallies["below"]) if known else None,
        above_values=nearest_above(tallies["above"]) if known else None,
        offenders=tuple(offenders),
    )


def _within_reach(value: Number) -> Number:
    return (
        value
        if not isinstance(value, int) or -_LARGEST <= value <= _LARGEST
        else math.copysign(math.inf, value > 0 or -1)
    )


def _sort_out(value: Number, bounds: Bounds | None) -> str:
    """Which count this value belongs to; the empty string for one that is in order."""
    if value != value:  # noqa: PLR0124 - NaN alone differs from itself, and math.isnan fails on huge ints
        return "nan"
    if value in {math.inf, -math.inf}:
        return "positive_infinity" if value > 0 else "negative_infinity"
    if bounds is None:
        return ""
    if bounds.whole and value != int(value):
        return "fractional"
    if value == bounds.ignore:
        return "ignored"
    if value < bounds.least:
        return "below"
    inside = value <= bounds.limit if bounds.closed and not bounds.whole else value < bounds.limit
    return "" if inside else "above"
