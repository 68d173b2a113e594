"""Data sets that scikit-learn makes or brings: how many rows and columns, and which labels, a row for each call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lossguard.lint.arguments import Arguments, size_of
from lossguard.lint.shaping import new
from lossguard.lint.values import Const, Data, Seq, Size, Unknown, Value
from lossguard.records import dataclass


@dataclass(frozen=True, slots=True)
class Samples:
    """What one call gives: a number is what it is by default, and a word before it the argument that says another."""

    rows: int
    columns: tuple[str, int]
    #: None for targets of a regression.
    classes: tuple[str, int] | None = None
    #: Whether it is given as a pair only if it is asked to.
    is_loaded: bool = False


_MADE: Final[Mapping[str, Samples]] = {
    "make_blobs": Samples(100, ("n_features", 2), ("centers", 3)),
    "make_circles": Samples(100, ("", 2), ("", 2)),
    "make_classification": Samples(100, ("n_features", 20), ("n_classes", 2)),
    "make_moons": Samples(100, ("", 2), ("", 2)),
    "make_regression": Samples(100, ("n_features", 100)),
    "make_s_curve": Samples(100, ("", 3)),
    "load_breast_cancer": Samples(569, ("", 30), ("", 2), is_loaded=True),
    "load_diabetes": Samples(442, ("", 10), is_loaded=True),
    "load_digits": Samples(1797, ("", 64), ("", 10), is_loaded=True),
    "load_iris": Samples(150, ("", 4), ("", 3), is_loaded=True),
    "load_wine": Samples(178, ("", 13), ("", 3), is_loaded=True),
}
SAMPLES: Final = frozenset(_MADE)


def samples(name: str, arguments: Arguments) -> Value:
    """The pair of samples and targets that a call gives."""
    row = _MADE[name]
    if row.is_loaded and arguments.constant(-1, "return_X_y", default=False) is not True:
        return Unknown()
    other = {"as_frame", "n_class", "n_targets", "return_centers", "return_distributions", "coef"}
    if other & arguments.kwargs.keys() or len(arguments.args) > 2:
        return Unknown()
    rows = row.rows if row.is_loaded else _size(arguments.get(0, "n_samples"), row.rows)
    width = _size(arguments.get(1 if row.columns[0] else -1, row.columns[0]), row.columns[1])
    target = Data(kind="array", dtype="float64", shape=(rows,))
    if row.classes is not None:
        target = Data(kind="array", dtype="int64", shape=(rows,), fractional=False, **_labels(row, arguments))
    return Seq("tuple", (Data(kind="array", dtype="float64", shape=(rows, width)), target))


def _size(given: Value | None, default: int) -> Size:
    if given is None:
        return default
    size = None if isinstance(given, Seq) else size_of(given)
    return new() if size is None else size


def _labels(row: Samples, arguments: Arguments) -> dict[str, Any]:
    """The labels are all numbers from 0 on, below the number of classes."""
    assert row.classes is not None  # noqa: S101 - asked for such rows only
    name, number = row.classes
    given = arguments.kwargs.get(name, Const(number))
    known = isinstance(given, Const) and type(given.value) is int and given.value > 1
    return {"holds": (0, given.value - 1), "complete": True} if known and isinstance(given, Const) else {}
