"""What is known of one argument of a loss, or of many of them added up.

Every field may be unknown, which is None: pasted text and source code tell only some of it. Facts add up
with `+`, which is associative and has `NOTHING` as its identity, so batches, workers, ranks and
partitions are one reduce. Something known plus something unknown is unknown: a sum never claims more
than all of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, Final, TypeVar

from lossguard.contracts.contract import Bounds
from lossguard.contracts.shapes import Shape
from lossguard.records import dataclass

Number = int | float
T = TypeVar("T")

#: How many offenders are remembered, and how many different values on each side of the bounds.
REMEMBERED: Final = 10
NEAREST: Final = 8
#: So many different labels are counted; of a column with more of them none are.
MOST_CLASSES: Final = 2**20


@dataclass(frozen=True, slots=True)
class Offender:
    """One value that breaks a demand, and where it stands."""

    value: Number
    position: tuple[int, ...]
    #: Which of the tensors that were added up, counted from 0.
    part: int = 0
    #: How many such values there are at the same place of the first axis, where there are more axes: a sample's.
    count: int = 1


class Maker(StrEnum):
    """The step of a model that gave a tensor its values; moves and reshapes do not count."""

    LINEAR = "a linear or convolutional layer"
    SIGMOID = "a sigmoid"
    #: Told by source code only; a tensor's rows tell it themselves.
    SOFTMAX = "a softmax"
    #: Also if it was scaled or masked since, as losses do that weigh their terms.
    LOG_SOFTMAX = "a log_softmax"
    #: It may lie above 0, as no logarithm of a probability does.
    DENSITY = "arithmetic with logarithms or distances, as for the logarithm of a density"


@dataclass(frozen=True, slots=True)
class Rows:
    """What the rows along the class axis look like: how many were read, and how many are what."""

    read: int = 0
    #: No entry below 0 or above 1, and all together 1.
    probabilities: int = 0
    #: No entry above 0, and the exponentials together 1.
    log_probabilities: int = 0
    #: Exactly one 1, all else 0.
    one_hot: int = 0
    #: No entry with a fraction.
    whole: int = 0
    #: An entry above 0.
    positive: int = 0
    #: An entry below 0.
    negative: int = 0
    #: Smallest and largest sum of a row.
    least_sum: float = float("inf")
    greatest_sum: float = float("-inf")
    #: Nothing but 0.
    empty: int = 0
    #: Probabilities up to what the coarsest dtype that the values may have come through rounds off.
    rounded_probabilities: int = 0
    #: One entry above 0, all else 0: a label with a weight.
    single: int = 0

    def __add__(self, other: Rows) -> Rows:
        return Rows(
            self.read + other.read,
            self.probabilities + other.probabilities,
            self.log_probabilities + other.log_probabilities,
            self.one_hot + other.one_hot,
            self.whole + other.whole,
            self.positive + other.positive,
            self.negative + other.negative,
            min(self.least_sum, other.least_sum),
            max(self.greatest_sum, other.greatest_sum),
            self.empty + other.empty,
            self.rounded_probabilities + other.rounded_probabilities,
            self.single + other.single,
        )


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one argument."""

    #: "tensor", "array", "list", "tuple", "none", or the name of another class.
    kind: str | None = None
    dtype: str | None = None
    shape: Shape | None = None
    device: str | None = None
    #: "strided", or "sparse_coo", "quantized", ... : what a loss can hardly read.
    storage: str | None = None
    count: int | None = None
    #: Over finite values; +inf and -inf when there are none.
    smallest: Number | None = None
    largest: Number | None = None
    nan: int | None = None
    #: Places without a value, which only tables have; a tensor has none.
    null: int | None = None
    positive_infinity: int | None = None
    negative_infinity: int | None = None
    fractional: int | None = None
    #: Whole numbers so large that the dtype may have rounded them, the ignored left aside.
    inexact: int | None = None
    #: Narrower floating dtypes that hold every value as it is.
    exact_in: frozenset[str] | None = None
    #: The bounds that the following are relative to.
    bounds: Bounds | None = None
    ignored: int | None = None
    below: int | None = None
    above: int | None = None
    #: Values within the bounds that are excluded by name, such as the blank of CTC.
    excluded: int | None = None
    #: The values out of bounds that lie nearest to them, with their counts.
    below_values: Mapping[Number, int] | None = None
    above_values: Mapping[Number, int] | None = None
    #: The extremes of the values within the bounds, where there are values outside; None if they were not looked for.
    smallest_within: Number | None = None
    largest_within: Number | None = None
    offenders: tuple[Offender, ...] | None = None
    class_counts: Mapping[int, int] | None = None
    #: Whether a linear layer made the last axis, so that this is where its outputs lie.
    outputs_last: bool | None = None
    #: What made the values, as the gradient's history tells: a `Maker`.
    maker: Maker | None = None
    #: The axis along which a log_softmax made the values, if that was the last step.
    softmax_axis: int | None = None
    #: Whether the weights it was computed with are finite; looked at only where it is not finite itself.
    weights_finite: bool | None = None
    #: Rows along the class axis of the input.
    rows: Rows | None = None
    #: Rows along the last axis, where the classes of a target may stand there as well.
    last_rows: Rows | None = None
    #: How many tensors these facts are of; 0 for the identity only.
    parts: int = 1

    def __add__(self, other: Facts) -> Facts:
        if not isinstance(other, Facts):
            return NotImplemented
        if self.parts == 0:
            return other
        if other.parts == 0:
            return self
        same_bounds = self.bounds == other.bounds
        merged = {name: merge(getattr(self, name), getattr(other, name)) for name, merge in _MERGES.items()}
        if not same_bounds:
            merged.update(dict.fromkeys(_RELATIVE_TO_BOUNDS))
        moved = (
            None
            if other.offenders is None
            else tuple(Offender(o.value, o.position, o.part + self.parts, o.count) for o in other.offenders)
        )
        if self.offenders is None or moved is None or not same_bounds:
            merged["offenders"] = None
        else:
            merged["offenders"] = (self.offenders + moved)[:REMEMBERED]
        return Facts(**merged, parts=self.parts + other.parts)

    def __radd__(self, other: int) -> Facts:
        return self if other == 0 else NotImplemented

    @property
    def infinite(self) -> int | None:
        """How many values are infinite, either way."""
        return _plus(self.positive_infinity, self.negative_infinity)

    @property
    def out_of_bounds(self) -> int | None:
        """How many values are out of bounds and not ignored."""
        return _plus(self.below, self.above)

    @property
    def all_finite(self) -> bool | None:
        """Whether no value is NaN or infinite."""
        wrong = _plus(self.nan, self.infinite)
        return None if wrong is None else wrong == 0

    def evidence(self) -> dict[str, Any]:
        """The facts that are known, as JSON shows them."""
        known: dict[str, Any] = {}
        for name in _EVIDENCE:
            value = getattr(self, name)
            if value is None or (name in _EXTREMES and value in _NO_EXTREME):
                continue
            known[name] = list(value) if name == "shape" else value
        return known


def total(parts: Iterable[Facts]) -> Facts:
    """All the parts added up."""
    result = NOTHING
    for part in parts:
        result += part
    return result


def _agreed(one: T | None, other: T | None) -> T | None:
    return one if one == other else None


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _smaller(one: Number | None, other: Number | None) -> Number | None:
    return None if one is None or other is None else min(one, other)


def _larger(one: Number | None, other: Number | None) -> Number | None:
    return None if one is None or other is None else max(one, other)


def _tally(one: Mapping[Any, int] | None, other: Mapping[Any, int] | None) -> dict[Any, int] | None:
    if one is None or other is None:
        return None
    return {key: one.get(key, 0) + other.get(key, 0) for key in sorted({*one, *other})}


def _histogram(one: Mapping[int, int] | None, other: Mapping[int, int] | None) -> dict[int, int] | None:
    counts = _tally(one, other)
    return None if counts is None or len(counts) > MOST_CLASSES else counts


def nearest_below(values: Mapping[Number, int] | None) -> dict[Number, int] | None:
    """The largest few of the values below the bounds. The few of a sum need only the few of its parts."""
    return None if values is None else dict(sorted(values.items())[-NEAREST:])


def nearest_above(values: Mapping[Number, int] | None) -> dict[Number, int] | None:
    """The smallest few of the values above the bounds."""
    return None if values is None else dict(sorted(values.items())[:NEAREST])


def _tally_below(one: Mapping[Number, int] | None, other: Mapping[Number, int] | None) -> Any:
    return nearest_below(_tally(one, other))


def _tally_above(one: Mapping[Number, int] | None, other: Mapping[Number, int] | None) -> Any:
    return nearest_above(_tally(one, other))


def _both(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    return None if one is None or other is None else one & other


def _rows(one: Rows | None, other: Rows | None) -> Rows | None:
    return None if one is None or other is None else one + other


_MERGES: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "kind": _agreed,
    "dtype": _agreed,
    "shape": _agreed,
    "device": _agreed,
    "storage": _agreed,
    "count": _plus,
    "smallest": _smaller,
    "largest": _larger,
    "nan": _plus,
    "null": _plus,
    "positive_infinity": _plus,
    "negative_infinity": _plus,
    "fractional": _plus,
    "inexact": _plus,
    "exact_in": _both,
    "bounds": _agreed,
    "ignored": _plus,
    "below": _plus,
    "above": _plus,
    "excluded": _plus,
    "below_values": _tally_below,
    "above_values": _tally_above,
    "smallest_within": _smaller,
    "largest_within": _larger,
    "class_counts": _histogram,
    "outputs_last": _agreed,
    "maker": _agreed,
    "softmax_axis": _agreed,
    "weights_finite": _agreed,
    "rows": _rows,
    "last_rows": _rows,
}
_RELATIVE_TO_BOUNDS: Final = (
    *("inexact", "ignored", "below", "above", "excluded"),
    *("below_values", "above_values", "smallest_within", "largest_within"),
)
_EVIDENCE: Final = (
    "dtype",
    "shape",
    "device",
    "count",
    "smallest",
    "largest",
    "nan",
    "null",
    "positive_infinity",
    "negative_infinity",
    "fractional",
    "inexact",
    "ignored",
    "below",
    "above",
    "excluded",
    "weights_finite",
)
_EXTREMES: Final = frozenset({"smallest", "largest"})
_NO_EXTREME: Final = (float("inf"), float("-inf"))

#: The facts of no tensor at all: what `+` starts from.
NOTHING: Final = Facts(parts=0)
