"""What makes a value bad, asked of any value on the way: tensor, array, series, list or plain number."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from lossguard.tracing.values import evaluating

#: The symptoms of a missing number; `truncated` is what a cast makes of one.
MISSING: Final = frozenset({"non-finite", "truncated"})
#: How many elements of a list are looked at, and how deep.
_MANY: Final = 20_000
_DEEP: Final = 4
_FEW: Final = 16
_LARGEST: Final = 20_000_000


class Judgement(Enum):
    """What a symptom makes of a value."""

    BAD = "bad"
    GOOD = "good"
    #: No numbers at all: a path, a module, a function.
    NEITHER = "neither"
    UNKNOWN = "unknown"


#: What a test says of a value: whether it is bad, None if that cannot be told, or a judgement of its own.
Answer = bool | None | Judgement

BAD, GOOD, NEITHER, UNKNOWN = Judgement.BAD, Judgement.GOOD, Judgement.NEITHER, Judgement.UNKNOWN


@dataclass(frozen=True, slots=True)
class Symptom:
    """One way of being bad. `about` is "dtype", "values", "shape" or "kind"; `name` tells fixes which one it is."""

    name: str
    about: str
    test: Callable[[Any], Answer]
    #: The very values that are bad, where it is a matter of those.
    values: tuple[float, ...] = ()
    #: Whether a line is only named when it is seen to have turned something good into something bad.
    witnessed: bool = False
    #: Whether a list of numbers is judged as a whole, and not number by number.
    whole: bool = False
    #: Whether a list of anything is judged by how many there are.
    by_length: bool = False
    #: Whether a step may be missing after a layer that is right as it is.
    unfinished: bool = False
    #: What to look for in samples that are no tensors yet, of which torch makes tensors when it collates them.
    behind: Symptom | None = None
    #: What to look for in numbers whose fractions are yet to be cut off.
    uncut: Symptom | None = None
    #: The same for what it was cut out of, by where the cut began.
    uncut_from: Callable[[int], Symptom] | None = None
    #: Of the values that were combined into something bad, the one that is to blame, and what to look for in it.
    among: Callable[[Sequence[Any]], tuple[int, Symptom] | None] | None = None

    def judge(self, value: Any) -> Judgement:
        """Whether `value`, or anything in it, is bad."""
        if self.about == "word":
            # In a container there may be words.
            inside = UNKNOWN if isinstance(value, Mapping | list | tuple) else NEITHER
            return _verdict(self.test(value)) if isinstance(value, str) else inside
        try:
            return _judge(self, value, 0)
        except (TypeError, ValueError, RuntimeError, AttributeError, OverflowError, NotImplementedError):
            return UNKNOWN


def _judge(symptom: Symptom, value: Any, depth: int) -> Judgement:
    if value is None or isinstance(value, str | bytes) or (callable(value) and not hasattr(value, "dtype")):
        missing = value is None and symptom.name in MISSING
        return BAD if missing and depth else NEITHER
    if symptom.about == "kind":
        return _verdict(symptom.test(value))
    value = _numbers_in(_ungrouped(value)) if symptom.about == "values" else _ungrouped(value)
    # Words have a shape as well; an image of Pillow, which is no array yet, has its numbers too.
    shaped = symptom.about == "shape" and hasattr(value, "shape")
    if shaped or (symptom.about in {"shape", "values"} and hasattr(value, "getbands")):
        # Bytes are what an image is made of.
        return NEITHER if symptom.name == "outside 0 to 1" else _verdict(symptom.test(value))
    if isinstance(value, bool | int | float) or _has_dtype(value):
        dates = symptom.name not in MISSING and dtype_of(value).startswith(("datetime", "timedelta", "period"))
        return NEITHER if dates or _is_text(value) else _verdict(symptom.test(value))
    if hasattr(value, "dtypes") and hasattr(value, "columns"):
        return _judge_frame(symptom, value, depth)
    if isinstance(value, Mapping | deque):
        value = list(value.values() if isinstance(value, Mapping) else value)
    if isinstance(value, list | tuple) and depth < _DEEP:
        of_all = symptom.about == "shape" or symptom.whole
        if of_all and value and isinstance(value[0], bool | int | float):
            return _verdict(symptom.test(value))
        if len(value) > _MANY:
            value = value[:_MANY] if symptom.about == "dtype" else value
        return _judge_items(symptom, value, depth) if len(value) <= 10 * _MANY else UNKNOWN
    return NEITHER


def _numbers_in(value: Any) -> Any:
    """Of a row of a table with words and numbers, whose entries have the names of the columns, its numbers."""
    if not hasattr(value, "iloc") or dtype_of(value) != "object":
        return value
    names = list(value.index[:_FEW])
    is_row = bool(names) and all(isinstance(name, str) for name in names)
    return [item for item in value if isinstance(item, int | float)] if is_row else value


def _ungrouped(value: Any) -> Any:
    """The data that pandas has put into groups, or looks at through a window."""
    grouped = type(value).__module__.startswith("pandas.") and hasattr(type(value), "aggregate")
    return getattr(value, "obj", value) if grouped else value


def _judge_items(symptom: Symptom, items: Sequence[Any], depth: int) -> Judgement:
    """Item by item; where none is good or bad by itself, how many there are may be."""
    found = _together([_judge(symptom, item, depth + 1) for item in items])
    return _verdict(symptom.test(items)) if found is NEITHER and symptom.by_length else found


def _judge_frame(symptom: Symptom, frame: Any, depth: int) -> Judgement:
    """Column by column, or all of its numbers together."""
    numbers = numbers_of(frame) if symptom.whole else None
    if numbers is not None:
        return _verdict(symptom.test(numbers))
    return _together([_judge(symptom, frame[name], depth + 1) for name in list(frame.columns)[:64]])


def _verdict(answer: Answer) -> Judgement:
    if isinstance(answer, Judgement):
        return answer
    return UNKNOWN if answer is None else BAD if answer else GOOD


def _together(judgements: list[Judgement]) -> Judgement:
    for judgement in (BAD, UNKNOWN, GOOD):
        if judgement in judgements:
            return judgement
    return NEITHER


def _has_dtype(value: Any) -> bool:
    # Modules such as numpy have functions of these names.
    return hasattr(value, "dtype") and isinstance(getattr(value, "shape", None), tuple)


def dtype_of(value: Any) -> str:
    """The name of the dtype: `float64`, `int64`, and `int`, `float`, `bool` for Python's own numbers."""
    if isinstance(value, bool | int | float) and not _has_dtype(value):
        return type(value).__name__
    return str(getattr(value, "dtype", "")).removeprefix("torch.").lower()


def described(value: Any) -> str:
    """A value in few words: `float64`, `float64[90]`, `DataFrame[90, 4]`, `list of float`, `1.5`; none if unknown."""
    if value is evaluating.UNKNOWN:
        return ""
    if isinstance(value, bool | int | float) and not _has_dtype(value):
        return f"{type(value).__name__} {value:g}" if isinstance(value, float) else f"{type(value).__name__} {value}"
    if _has_dtype(value) or hasattr(value, "iloc") or hasattr(value, "get_columns"):
        shape = ", ".join(map(str, value.shape))
        return (dtype_of(value) or type(value).__name__) + (f"[{shape}]" if shape else "")
    if isinstance(value, list | tuple) and value:
        inner = {type(item).__name__ for item in value[:_MANY]}
        return f"{type(value).__name__} of {' and '.join(sorted(inner)[:3])}"
    return type(value).__name__


def numbers_of(value: Any) -> Any:
    """The numbers of `value` as a float64 array; None where there are none."""
    import numpy as np

    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.double().numpy() if value.is_floating_point() else value.numpy()
    elif hasattr(value, "to_numpy"):
        # Missing values of every pandas dtype become NaN.
        if _is_text(value):
            return None
        try:
            value = _of_polars(value) if hasattr(value, "null_count") else value.to_numpy(dtype=float, na_value=np.nan)
        except (TypeError, ValueError):
            return None
    array = np.asarray(value)
    if array.size > _LARGEST:
        return None
    if array.dtype.kind == "O":
        try:
            array = np.array([math.nan if item is None else item for item in array.ravel().tolist()], dtype=float)
        except (TypeError, ValueError, OverflowError):
            return None
    return array if array.dtype.kind in "biuf" else None


def _of_polars(value: Any) -> Any:
    """The numbers of a series or a frame of polars; of a frame one by one, for which it asks no threads."""
    import numpy as np

    if not hasattr(value, "columns"):
        return value.to_numpy()
    return np.stack([value[name].to_numpy() for name in value.columns], axis=-1)


def _is_text(value: Any) -> bool:
    """Whether an array or a series holds words and no numbers."""
    dtype = str(getattr(value, "dtype", ""))
    if dtype == "category":
        return _is_text(value.dtype.categories)
    if dtype == "str" or dtype.startswith(("<U", "|S", "string", "String")):
        return True
    return dtype == "object" and any(isinstance(item, str) for item in _objects(value)[:_FEW])


def by_values(test: Callable[[Any], Any]) -> Callable[[Any], bool | None]:
    """Bad if any number is."""

    def look(value: Any) -> bool | None:
        numbers = numbers_of(value)
        return None if numbers is None else bool(test(numbers).any())

    return look


def by_dtype(test: Callable[[str], bool]) -> Callable[[Any], bool | None]:
    """Bad if the dtype is, or in what holds objects, that of any of them."""

    def look(value: Any) -> bool | None:
        dtype = dtype_of(value)
        if dtype == "object":
            inner = [dtype_of(item) for item in _objects(value)]
            return any(test(item) for item in inner if item)
        return test(dtype)

    return look


def _objects(value: Any) -> list[Any]:
    found: list[Any] = list(value.ravel() if hasattr(value, "ravel") else value)[:_MANY]
    return found


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of a value; a list has its length, a number none."""
    if hasattr(value, "shape") and not isinstance(value, type):
        return tuple(value.shape)
    if hasattr(value, "getbands"):  # an image that is no array yet
        return (value.height, value.width)
    return (len(value),) if isinstance(value, list | tuple) else ()
