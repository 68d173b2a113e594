"""What to look for on the way back from a finding, and in which argument of the loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from lossguard.contracts.dtypes import INT32_MIN, INT64_MIN, is_floating
from lossguard.findings import Finding
from lossguard.tracing import mismatches
from lossguard.tracing.symptoms import Answer, Judgement, Symptom, by_dtype, by_values, dtype_of, numbers_of, shape_of


def _is_float(dtype: str) -> bool:
    return dtype == "float" or is_floating(dtype)


def _is_whole(dtype: str) -> bool:
    return dtype in {"int", "bool", "boolean"} or dtype.startswith(("int", "uint"))


def _exactly(dtype: str) -> Callable[[str], bool]:
    """Python's own float becomes float64 in a batch, its int int64."""
    twins = {"float64": {"float64", "float"}, "int64": {"int64", "int"}, "bool": {"bool", "boolean"}}
    return lambda found: found in twins.get(dtype, {dtype})


def sought(finding: Finding, arguments: Mapping[str, Any], batch: int | None = None) -> list[tuple[str, Symptom]]:
    """The arguments of the loss to go back from, with what to look for in each; empty if there is nothing.

    Where two arguments do not go together, each of them is asked for the line at which it ceased to fit the other.
    `batch` is how many samples the loader gave, where that is known.
    """
    own = finding.argument
    if finding.evidence.get("weights_finite") is False:
        # No line of the program made it so: the training did, one step earlier.
        return []
    names = [name for name, value in arguments.items() if hasattr(value, "shape")][:2]
    if finding.code in mismatches.CODES and own in names and len(names) == 2:
        first, second = arguments[names[0]], arguments[names[1]]
        return mismatches.between((names[0], first), (names[1], second), rows=finding.code == "LG403", batch=batch)
    if finding.code in mismatches.BY_ONE_AXIS and own in names and len(names) == 2:
        first, second = arguments[names[0]], arguments[names[1]]
        return mismatches.by_one_axis((names[0], first), (names[1], second), spreads=finding.code == "LG406")
    if finding.code == "LG501":
        return mismatches.of_device(own, arguments)
    value = arguments.get(own)
    found = (
        _of_class_numbers(finding, value)
        or _symptom_of(finding)
        or _values_symptom(finding)
        or _birth_symptom(finding, value)
    )
    return [] if found is None else [(own, found)]


def _of_class_numbers(finding: Finding, value: Any) -> Symptom | None:
    """Numbers of classes, one for each sample, given as reals between 0 and 1: as whole numbers they were sound."""
    numbers = numbers_of(value) if finding.code == "LG205" and hasattr(value, "shape") else None
    if numbers is None or not numbers.size or numbers.size != len(value):
        return None
    if numbers.min() != 0 or (numbers % 1 != 0).any():
        return None
    outside = by_values(lambda found: ~((found >= 0) & (found <= 1)))
    negative = by_values(lambda found: found < 0)
    return Symptom(
        "class numbers",
        "values",
        lambda found: outside(found) if _is_float(dtype_of(found)) else negative(found),
    )


#: Where infinities are meant, as in a mask of attention, and only what they turned into is bad.
NOT_A_NUMBER: Final = Symptom("non-finite", "values", by_values(lambda numbers: ~(abs(numbers) >= 0)))


def _symptom_of(finding: Finding) -> Symptom | None:
    """A dtype, values, a shape or a meaning."""
    import numpy as np

    code, evidence = finding.code, finding.evidence
    if code in {"LG101", "LG209"}:
        return Symptom("floating", "dtype", by_dtype(_is_float))
    if code in {"LG104", "LG106"}:
        return Symptom("whole", "dtype", by_dtype(_is_whole))
    if code == "LG105" and evidence.get("dtype") == "float64":
        return Symptom("dtype float64 in a tensor", "dtype", _is_double, behind=_of_dtype("float64"))
    if code in {"LG102", "LG103", "LG105", "LG107", "LG108", "LG109", "LG110"} and "dtype" in evidence:
        return _of_dtype(str(evidence["dtype"]))
    if code in {"LG203", "LG207"}:
        return _non_finite()
    if code == "LG204":
        return Symptom("fractional", "values", by_values(lambda numbers: np.isfinite(numbers) & (numbers % 1 != 0)))
    if code == "LG213":
        return Symptom("truncated", "values", by_values(_truncated))
    if code in {"LG205", "LG206"}:
        name = "outside 0 to 1" if code == "LG205" else "unsquashed"
        return Symptom(name, "values", by_values(lambda numbers: ~((numbers >= 0) & (numbers <= 1))))
    if code in {"LG201", "LG202", "LG210", "LG211", "LG408"}:
        values = tuple({sample.value for sample in finding.samples if sample.value is not None})
        return _one_of(values) if values else None
    return _shape_symptom(finding) or _meaning_symptom(finding)


def _of_dtype(dtype: str) -> Symptom:
    return Symptom(f"dtype {dtype}", "dtype", by_dtype(_exactly(dtype)))


def _is_double(value: Any) -> bool:
    """Arrays and Python's numbers are float64 by nature; that is only a fault in a tensor."""
    return hasattr(value, "detach") and dtype_of(value) == "float64"


def _non_finite() -> Symptom:
    import numpy as np

    return Symptom("non-finite", "values", by_values(lambda numbers: ~np.isfinite(numbers)))


def _values_symptom(finding: Finding) -> Symptom | None:
    """Values that are wrong together, or for this one loss."""
    if finding.code == "LG212":
        return Symptom("zeros and ones", "values", _by_all(lambda numbers: (numbers == 0) | (numbers == 1)), whole=True)
    unsound = [finding.evidence.get(kind) for kind in ("nan", "positive_infinity", "negative_infinity")]
    if finding.code == "LG505" and any(unsound):
        return _non_finite()
    if finding.code == "LG214" or (finding.code == "LG505" and (finding.evidence.get("smallest") or 0) < 0):
        return Symptom("negative", "values", by_values(lambda numbers: numbers < 0))
    if finding.code == "LG305":
        return Symptom("floating", "dtype", by_dtype(_is_float))
    shape: list[int] = finding.evidence.get("shape") or []
    if finding.code == "LG304" and len(shape) > 1:
        return Symptom("no distribution", "values", lambda value: _is_distribution(value, shape[1]), whole=True)
    return None


def _birth_symptom(finding: Finding, value: Any) -> Symptom | None:
    """What is bad from its birth: too many or too few weights or lengths, nothing but the ignore index."""
    shape = shape_of(value)
    if finding.code in {"LG407", "LG408"} and shape:
        return Symptom("length", "shape", lambda found: _has_length(found, shape[0]))
    if finding.code == "LG208" and hasattr(value, "numel") and value.numel():
        ignored = value.reshape(-1)[0].item()
        return Symptom("ignored", "values", _by_all(lambda numbers: numbers == ignored), (ignored,), whole=True)
    return None


def _has_length(value: Any, length: int) -> Answer:
    shape = shape_of(value)
    return Judgement.BAD if shape[:1] == (length,) else Judgement.NEITHER


def _by_all(test: Callable[[Any], Any]) -> Callable[[Any], bool | None]:
    def look(value: Any) -> bool | None:
        numbers = numbers_of(value)
        if numbers is None:
            return None
        # What is true or false is no number yet.
        return bool(numbers.size and numbers.dtype.kind != "b" and test(numbers).all())

    return look


def _is_distribution(value: Any, classes: int) -> Answer:
    """Bad if the rows of `value` do not sum to 1; what is no table of classes is neither good nor bad."""
    shape, numbers = shape_of(value), numbers_of(value)
    if not shape or numbers is None or classes not in shape[:2] or (len(shape) == 1 and not _is_float(dtype_of(value))):
        return Judgement.NEITHER
    sums = numbers.sum(axis=min(1, len(shape) - 1))
    return bool((numbers < 0).any() or (abs(sums - 1) > 1e-3).any())


def _one_of(values: tuple[float, ...]) -> Symptom:
    import numpy as np

    bad = list(values)
    uncut = Symptom("outside", "values", by_values(lambda numbers: np.isin(np.trunc(numbers), bad)), values)
    return Symptom("outside", "values", by_values(lambda numbers: np.isin(numbers, bad)), values, uncut=uncut)


def _truncated(numbers: Any) -> Any:
    import numpy as np

    return ~np.isfinite(numbers) | np.isin(numbers, [INT64_MIN, INT32_MIN])


def _shape_symptom(finding: Finding) -> Symptom | None:
    if finding.code == "LG402" and finding.evidence.get("shape"):
        wide = tuple(finding.evidence["shape"])[-1]
        return Symptom("one-hot", "shape", lambda value: shape_of(value)[-1:] == (wide,))
    if finding.code in {"LG502", "LG503"}:
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
    numbers = numbers_of(value)
    if numbers is None or not numbers.size:
        return None
    inside = bool((numbers >= -1e-4).all() and (numbers <= 1 + 1e-4).all())
    if not of_classes or not inside or not numbers.ndim:
        return inside
    return bool((abs(numbers.sum(axis=min(1, numbers.ndim - 1)) - 1) < 1e-2).all())
