"""What makes a value bad, asked of any value on the way: tensor, array, series, list or plain number."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from lossguard.contracts.dtypes import is_floating
from lossguard.findings import Finding

#: How many elements of a list are looked at, and how deep.
_MANY: Final = 20_000
_DEEP: Final = 4
_LARGEST: Final = 20_000_000
_INT64_MIN: Final = -(2**63)


class Judgement(Enum):
    """What a symptom makes of a value."""

    BAD = "bad"
    GOOD = "good"
    #: No numbers at all: a path, a module, a function.
    NEITHER = "neither"
    UNKNOWN = "unknown"


BAD, GOOD, NEITHER, UNKNOWN = Judgement.BAD, Judgement.GOOD, Judgement.NEITHER, Judgement.UNKNOWN


@dataclass(frozen=True, slots=True)
class Symptom:
    """One way of being bad. `about` is "dtype", "values", "shape" or "kind"; `name` tells repairs which one it is."""

    name: str
    about: str
    test: Callable[[Any], bool | None]
    #: The very values that are bad, where it is a matter of those.
    values: tuple[float, ...] = ()

    def judge(self, value: Any) -> Judgement:
        """Whether `value`, or anything in it, is bad."""
        try:
            return _judge(self, value, 0)
        except (TypeError, ValueError, RuntimeError, AttributeError, OverflowError, NotImplementedError):
            return UNKNOWN


def _judge(symptom: Symptom, value: Any, depth: int) -> Judgement:
    if value is None or isinstance(value, str | bytes) or (callable(value) and not hasattr(value, "dtype")):
        missing = value is None and symptom.name in {"non-finite", "truncated"}
        return BAD if missing and depth else NEITHER
    if symptom.about == "kind":
        return BAD if symptom.test(value) else GOOD
    if isinstance(value, bool | int | float) or _has_dtype(value):
        return NEITHER if _is_text(value) else _verdict(symptom.test(value))
    if hasattr(value, "dtypes") and hasattr(value, "columns"):
        return _together([_judge(symptom, value[name], depth + 1) for name in list(value.columns)[:64]])
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple) and depth < _DEEP:
        if symptom.about == "shape" and value and isinstance(value[0], bool | int | float):
            return _verdict(symptom.test(value))
        if len(value) > _MANY:
            value = value[:_MANY] if symptom.about == "dtype" else value
        return _together([_judge(symptom, item, depth + 1) for item in value]) if len(value) <= 10 * _MANY else UNKNOWN
    return NEITHER


def _verdict(answer: bool | None) -> Judgement:
    return UNKNOWN if answer is None else BAD if answer else GOOD


def _together(judgements: list[Judgement]) -> Judgement:
    for judgement in (BAD, UNKNOWN, GOOD):
        if judgement in judgements:
            return judgement
    return NEITHER


def _has_dtype(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "shape")


def dtype_of(value: Any) -> str:
    """The name of the dtype: `float64`, `int64`, and `int`, `float`, `bool` for Python's own numbers."""
    if isinstance(value, bool | int | float) and not _has_dtype(value):
        return type(value).__name__
    return str(getattr(value, "dtype", "")).removeprefix("torch.").lower()


def described(value: Any) -> str:
    """A value in few words: `float64`, `float64[90]`, `list of float`, `1.5`."""
    if isinstance(value, bool | int | float) and not _has_dtype(value):
        return f"{type(value).__name__} {value:g}" if isinstance(value, float) else f"{type(value).__name__} {value}"
    if _has_dtype(value):
        shape = ", ".join(map(str, value.shape))
        return dtype_of(value) + (f"[{shape}]" if shape else "")
    if isinstance(value, list | tuple) and value:
        inner = {type(item).__name__ for item in value[:_MANY]}
        return f"{type(value).__name__} of {' and '.join(sorted(inner)[:3])}"
    return type(value).__name__


def _numbers(value: Any) -> Any:
    """The numbers of `value` as a float64 array; None where there are none."""
    import numpy as np

    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.double().numpy() if value.is_floating_point() else value.numpy()
    elif hasattr(value, "to_numpy"):
        # Missing values of every pandas dtype become NaN.
        if _is_text(value):
            return None
        value = value.to_numpy(dtype=float, na_value=np.nan)
    array = np.asarray(value)
    if array.size > _LARGEST:
        return None
    if array.dtype.kind == "O":
        array = np.array([math.nan if item is None else item for item in array.ravel().tolist()], dtype=float)
    return array if array.dtype.kind in "biuf" else None


def _is_text(value: Any) -> bool:
    """Whether an array or a series holds words and no numbers."""
    dtype = str(getattr(value, "dtype", ""))
    if dtype in {"str", "string"} or dtype.startswith(("<U", "|S", "string")):
        return True
    return dtype == "object" and any(isinstance(item, str) for item in _objects(value)[:16])


def _by_values(test: Callable[[Any], Any]) -> Callable[[Any], bool | None]:
    def look(value: Any) -> bool | None:
        numbers = _numbers(value)
        return None if numbers is None else bool(test(numbers).any())

    return look


def _by_dtype(test: Callable[[str], bool]) -> Callable[[Any], bool | None]:
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


def _is_float(dtype: str) -> bool:
    return dtype == "float" or is_floating(dtype)


def _is_whole(dtype: str) -> bool:
    return dtype in {"int", "bool", "boolean"} or dtype.startswith(("int", "uint"))


def _exactly(dtype: str) -> Callable[[str], bool]:
    """Python's own float becomes float64 in a batch, its int int64."""
    twins = {"float64": {"float64", "float"}, "int64": {"int64", "int"}, "bool": {"bool", "boolean"}}
    return lambda found: found in twins.get(dtype, {dtype})


def symptom_of(finding: Finding) -> Symptom | None:
    """What to look for on the way back from `finding`; None for what has no value to look for."""
    import numpy as np

    code, evidence = finding.code, finding.evidence
    if code in {"LG101", "LG209"}:
        return Symptom("floating", "dtype", _by_dtype(_is_float))
    if code in {"LG104", "LG106"}:
        return Symptom("whole", "dtype", _by_dtype(_is_whole))
    if code in {"LG102", "LG103", "LG105", "LG107", "LG108", "LG109"} and "dtype" in evidence:
        return Symptom(f"dtype {evidence['dtype']}", "dtype", _by_dtype(_exactly(str(evidence["dtype"]))))
    if code in {"LG203", "LG207"}:
        return Symptom("non-finite", "values", _by_values(lambda numbers: ~np.isfinite(numbers)))
    if code == "LG204":
        return Symptom("fractional", "values", _by_values(lambda numbers: np.isfinite(numbers) & (numbers % 1 != 0)))
    if code == "LG213":
        return Symptom("truncated", "values", _by_values(_truncated))
    if code in {"LG205", "LG206"}:
        return Symptom("outside 0 to 1", "values", _by_values(lambda numbers: ~((numbers >= 0) & (numbers <= 1))))
    if code in {"LG201", "LG202", "LG210", "LG211"}:
        values = tuple({sample.value for sample in finding.samples if sample.value is not None})
        return _one_of(values) if values else None
    return _shape_symptom(finding) or _meaning_symptom(finding)


def _one_of(values: tuple[float, ...]) -> Symptom:
    import numpy as np

    return Symptom("outside", "values", _by_values(lambda numbers: np.isin(numbers, list(values))), values)


def _truncated(numbers: Any) -> Any:
    import numpy as np

    if numbers.dtype.kind != "f":
        return numbers == _INT64_MIN
    return ~np.isfinite(numbers) | (numbers % 1 != 0)


def _shape_symptom(finding: Finding) -> Symptom | None:
    if finding.code in {"LG401", "LG406"}:
        return Symptom("column", "shape", lambda value: _shape(value)[-1:] == (1,))
    if finding.code == "LG402" and finding.evidence.get("shape"):
        wide = tuple(finding.evidence["shape"])[-1]
        return Symptom("one-hot", "shape", lambda value: _shape(value)[-1:] == (wide,))
    if finding.code == "LG502":
        return Symptom("not a tensor", "kind", lambda value: not hasattr(value, "detach"))
    return None


def _meaning_symptom(finding: Finding) -> Symptom | None:
    """Inputs of the wrong meaning: probabilities lie between 0 and 1, and those of classes sum to 1."""
    if finding.code in {"LG302", "LG303"}:
        of_classes = "binary" not in finding.loss
        return Symptom("probabilities", "values", lambda value: _are_probabilities(value, of_classes=of_classes))
    if finding.code == "LG301":
        return Symptom("scores", "meaning", lambda _: None)
    return None


def _are_probabilities(value: Any, *, of_classes: bool) -> bool | None:
    if not _is_float(dtype_of(value)):
        return False
    numbers = _numbers(value)
    if numbers is None or not numbers.size:
        return None
    inside = bool((numbers >= -1e-4).all() and (numbers <= 1 + 1e-4).all())
    if not of_classes or not inside or not numbers.ndim:
        return inside
    return bool((abs(numbers.sum(axis=min(1, numbers.ndim - 1)) - 1) < 1e-2).all())


def _shape(value: Any) -> tuple[int, ...]:
    if hasattr(value, "shape"):
        return tuple(value.shape)
    return (len(value),) if isinstance(value, list | tuple) else ()
