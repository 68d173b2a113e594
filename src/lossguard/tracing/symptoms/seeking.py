"""What to look for on the way back from a finding, and in which argument of the loss."""

from __future__ import annotations

import itertools
import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lossguard.contracts.dtypes import INT32_MIN, INT64_MIN, is_floating
from lossguard.findings import Finding
from lossguard.tracing.symptoms import mismatches
from lossguard.tracing.symptoms.symptom import (
    Answer,
    Judgement,
    Symptom,
    by_dtype,
    by_values,
    dtype_of,
    numbers_of,
    shape_of,
)


def _is_float(dtype: str) -> bool:
    return dtype == "float" or is_floating(dtype)


def _is_whole(dtype: str) -> bool:
    return dtype in {"int", "bool", "boolean"} or dtype.startswith(("int", "uint"))


def _exactly(dtype: str) -> Callable[[str], bool]:
    """Python's own float becomes float64 in a batch, its int int64."""
    twins = {"float64": {"float64", "float"}, "int64": {"int64", "int"}, "bool": {"bool", "boolean"}}
    return lambda found: found in twins.get(dtype, {dtype})


@dataclass(frozen=True, slots=True)
class Call:
    """What is known of the call in which something is wrong."""

    finding: Finding
    arguments: Mapping[str, Any]
    #: How many samples the loader gave, where that is known.
    batch: int | None = None
    #: Those in which the call was made, from the inside.
    frames: Sequence[types.FrameType] = ()

    @property
    def value(self) -> Any:
        """The argument that is wrong."""
        return self.arguments.get(self.finding.argument)

    @property
    def sides(self) -> list[tuple[str, Any]]:
        """The two arguments that must go together; empty if there are none, or the wrong one is neither."""
        found = [(name, value) for name, value in self.arguments.items() if hasattr(value, "shape")][:2]
        return found if len(found) == 2 and self.finding.argument in dict(found) else []

    @property
    def usual(self) -> list[tuple[int, ...]]:
        """The shapes of what goes together under other names of the two dicts that the two arguments are in."""
        held = [value for frame in self.frames for value in frame.f_locals.values() if isinstance(value, Mapping)]
        tables = [[each for each in held if any(item is side for item in each.values())] for _, side in self.sides]
        pairs = [(one, other) for one, other in itertools.product(*tables) if one is not other]
        both = [(shape_of(one[key]), shape_of(other[key])) for one, other in pairs for key in one if key in other]
        return [ours for ours, theirs in both if ours == theirs]

    def evidence(self, name: str) -> Any:
        """What is known of the wrong argument."""
        return self.finding.evidence.get(name)


def sought(
    finding: Finding, arguments: Mapping[str, Any], batch: int | None = None, frames: Sequence[types.FrameType] = ()
) -> list[tuple[str, Symptom]]:
    """The arguments of the loss to go back from, with what to look for in each; empty if there is nothing.

    Where two arguments do not go together, each of them is asked for the line at which it ceased to fit the other.
    `batch` is how many samples the loader gave, where that is known, and `frames` are the user's.
    """
    call = Call(finding, arguments, batch, frames)
    if call.evidence("weights_finite") is False:
        # No line of the program made it so: the training did, one step earlier.
        return []
    if finding.seek in _OF_TWO:
        return _OF_TWO[finding.seek](call)
    making = _OF_ONE.get(finding.seek)
    found = making(call) if making is not None else None
    return [] if found is None else [(finding.argument, found)]


def _of_labels(call: Call) -> Symptom:
    """Labels outside of 0 to 1; numbers of three classes or more, one for each sample, were sound while whole."""
    outside = by_values(lambda numbers: ~((numbers >= 0) & (numbers <= 1)))
    numbers = numbers_of(call.value) if hasattr(call.value, "shape") else None
    if numbers is None or not numbers.size or numbers.size != len(call.value):
        return Symptom("outside 0 to 1", "values", outside)
    if numbers.min() != 0 or (numbers % 1 != 0).any() or len({*numbers.ravel().tolist()}) < 3:
        return Symptom("outside 0 to 1", "values", outside)
    negative = by_values(lambda found: found < 0)
    return Symptom(
        "class numbers", "values", lambda found: outside(found) if _is_float(dtype_of(found)) else negative(found)
    )


#: Where nothing is wrong but that this loss was chosen.
LOSS: Final = Symptom("loss", "loss", lambda _: None)
#: Where infinities are meant, as in a mask of attention, and only what they turned into is bad.
NOT_A_NUMBER: Final = Symptom("non-finite", "values", by_values(lambda numbers: ~(abs(numbers) >= 0)))
_FLOATING: Final = Symptom("floating", "dtype", by_dtype(_is_float))
#: Counts and numbers in arrays and lists are whole by nature; that is only a fault in a tensor.
_WHOLE: Final = Symptom(
    "whole",
    "dtype",
    lambda value: hasattr(value, "detach") and _is_whole(dtype_of(value)),
    behind=Symptom("whole", "dtype", by_dtype(_is_whole)),
)
_NON_FINITE: Final = Symptom("non-finite", "values", by_values(lambda numbers: ~(abs(numbers) < math.inf)))
_FRACTIONAL: Final = Symptom(
    "fractional", "values", by_values(lambda numbers: (abs(numbers) < math.inf) & (numbers % 1 != 0))
)
_NEGATIVE: Final = Symptom("negative", "values", by_values(lambda numbers: numbers < 0))
_NO_TENSOR: Final = Symptom("not a tensor", "kind", lambda value: not hasattr(value, "detach"))


def _of_dtype(dtype: str) -> Symptom:
    return Symptom(f"dtype {dtype}", "dtype", by_dtype(_exactly(dtype)))


def _same_dtype(call: Call) -> Symptom | None:
    dtype = call.evidence("dtype")
    return _of_dtype(str(dtype)) if dtype else None


def _tensor_dtype(call: Call) -> Symptom | None:
    """Arrays and Python's numbers are float64 by nature; that is only a fault in a tensor."""
    if call.evidence("dtype") != "float64":
        return _same_dtype(call)

    def is_double(value: Any) -> bool:
        return hasattr(value, "detach") and dtype_of(value) == "float64"

    return Symptom("dtype float64 in a tensor", "dtype", is_double, behind=_of_dtype("float64"))


def _offenders(call: Call) -> Symptom | None:
    """The very values that are out of range."""
    import numpy as np

    values = tuple({sample.value for sample in call.finding.samples if sample.value is not None})
    if not values:
        return None
    uncut = Symptom("outside", "values", by_values(lambda numbers: np.isin(np.trunc(numbers), list(values))), values)
    moved = _moved_by(min([*values, *(call.evidence("outside") or ())]))
    test = by_values(lambda numbers: np.isin(numbers, list(values)))
    return Symptom("outside", "values", test, values, uncut=uncut, among=moved)


def _moved_by(limit: float) -> Callable[[Sequence[Any]], tuple[int, Symptom] | None]:
    """Of two that are added, the one by which the other is moved, where it alone moves all that it is for too far."""

    def test(value: Any) -> bool | None:
        numbers = numbers_of(value)
        return None if numbers is None or not numbers.size else bool(0 < limit <= numbers.max() and numbers.min() > 0)

    far = Symptom("outside", "values", test, whole=True)

    def among(values: Sequence[Any]) -> tuple[int, Symptom] | None:
        ranks = [len(shape_of(value)) for value in values]
        place = ranks.index(min(ranks))
        return (place, far) if len({*ranks}) == len(ranks) == 2 and far.judge(values[place]) is Judgement.BAD else None

    return among


def _unsound(call: Call) -> Symptom | None:
    """A setting that is not finite, or negative."""
    if any(call.evidence(kind) for kind in ("nan", "positive_infinity", "negative_infinity")):
        return _NON_FINITE
    return _NEGATIVE if (call.evidence("smallest") or 0) < 0 else None


def _truncated(numbers: Any) -> Any:
    import numpy as np

    return ~np.isfinite(numbers) | np.isin(numbers, [INT64_MIN, INT32_MIN])


def _length(call: Call) -> Symptom | None:
    """Too many or too few weights or lengths, from their birth."""
    length = shape_of(call.value)[:1]
    if not length:
        return None
    return Symptom(
        "length", "shape", lambda value: Judgement.BAD if shape_of(value)[:1] == length else Judgement.NEITHER
    )


def _these(call: Call) -> Symptom | None:
    """These very numbers, as many of them."""
    numbers = numbers_of(call.value)
    if numbers is None or not numbers.size:
        return None
    wanted = sorted(numbers.ravel().tolist())

    def test(value: Any) -> Answer:
        found = numbers_of(value)
        return Judgement.NEITHER if found is None or found.size != len(wanted) else sorted(found.ravel()) == wanted

    return Symptom("lengths", "values", test, whole=True)


def _ignored(call: Call) -> Symptom | None:
    if not hasattr(call.value, "numel") or not call.value.numel():
        return None
    ignored = call.value.reshape(-1)[0].item()
    return Symptom("ignored", "values", _by_all(lambda numbers: numbers == ignored), (ignored,), whole=True)


def _by_all(test: Callable[[Any], Any]) -> Callable[[Any], bool | None]:
    def look(value: Any) -> bool | None:
        numbers = numbers_of(value)
        if numbers is None:
            return None
        # What is true or false is no number yet.
        return bool(numbers.size and numbers.dtype.kind != "b" and test(numbers).all())

    return look


def _cut_off(call: Call) -> Symptom | None:
    """Whole numbers up to 1, behind which fractions were cut off: of a byte, or of the largest class."""
    parts = (255, (call.evidence("classes") or 2) - 1)

    def scaled(numbers: Any) -> Any:
        inside = ((numbers >= 0) & (numbers <= 1)).all()
        even = any((abs(numbers * part - (numbers * part).round()) < 1e-3).all() for part in parts)
        return (numbers % 1 != 0) & (inside and even)

    uncut = Symptom("fractional", "values", by_values(scaled), whole=True)
    return Symptom("cut off", "values", _by_all(lambda n: (n == 0) | (n == 1)), whole=True, uncut=uncut)


_SIGNS: Final = Symptom(
    "zeros and ones", "values", _by_all(lambda numbers: (numbers == 0) | (numbers == 1)), whole=True
)


def _no_distribution(call: Call) -> Symptom | None:
    shape = call.evidence("shape") or []
    if len(shape) < 2:
        return None
    return Symptom("no distribution", "values", lambda value: _is_distribution(value, shape[1]), whole=True)


def _is_distribution(value: Any, classes: int) -> Answer:
    """Bad if the rows of `value` do not sum to 1; what is no table of classes is neither good nor bad."""
    shape, numbers = shape_of(value), numbers_of(value)
    if not shape or numbers is None or classes not in shape[:2] or (len(shape) == 1 and not _is_float(dtype_of(value))):
        return Judgement.NEITHER
    sums = numbers.sum(axis=min(1, len(shape) - 1))
    return bool((numbers < 0).any() or (abs(sums - 1) > 1e-3).any())


def _read_as_soft(call: Call) -> list[tuple[str, Symptom]]:
    """Labels of classes should not have become floating; where there is one output, the loss is another one's."""
    scores = call.sides[0][1] if call.sides else None
    return [(call.finding.argument, LOSS if shape_of(scores)[1:] in {(), (1,)} else _FLOATING)]


def _one_hot(call: Call) -> Symptom | None:
    wide = tuple(call.evidence("shape") or ())[-1:]
    return Symptom("one-hot", "shape", lambda value: shape_of(value)[-1:] == wide) if wide else None


def _probabilities(call: Call) -> Symptom:
    """Probabilities lie between 0 and 1, and those of classes sum to 1."""
    of_classes = "binary" not in call.finding.loss
    return Symptom("probabilities", "values", lambda value: _are_probabilities(value, of_classes=of_classes))


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


#: What a rule says that is to be looked for in its argument, and how that is judged.
_OF_ONE: Final[Mapping[str, Callable[[Call], Symptom | None]]] = {
    "floating": lambda _: _FLOATING,
    "whole": lambda _: _WHOLE,
    "dtype": _same_dtype,
    "unsupported dtype": _same_dtype,
    "dtype of a tensor": _tensor_dtype,
    "non-finite": lambda _: _NON_FINITE,
    "fractional": lambda _: _FRACTIONAL,
    "cut off": _cut_off,
    "truncated": lambda _: Symptom("truncated", "values", by_values(_truncated)),
    "outside 0 to 1": _of_labels,
    "unsquashed": lambda _: Symptom(
        "unsquashed", "values", by_values(lambda numbers: ~((numbers >= 0) & (numbers <= 1)))
    ),
    "values": _offenders,
    "class numbers": _offenders,
    "lengths": lambda call: _offenders(call) or (_length(call) if call.evidence("steps") is None else _these(call)),
    "length": _length,
    "zeros and ones": lambda _: _SIGNS,
    "unsound": _unsound,
    "negative": lambda _: _NEGATIVE,
    "no distribution": _no_distribution,
    "ignored": _ignored,
    "one-hot": _one_hot,
    "not a tensor": lambda _: _NO_TENSOR,
    "probabilities": _probabilities,
    "plain probabilities": _probabilities,
    "scores": lambda _: Symptom("scores", "meaning", lambda _: None),
}
#: The same for two arguments that do not go together, and for how the loss is called.
_OF_TWO: Final[Mapping[str, Callable[[Call], list[tuple[str, Symptom]]]]] = {
    "rows": lambda call: mismatches.between(*call.sides, rows=True, batch=call.batch) if call.sides else [],
    "shape": lambda call: mismatches.between(*call.sides, rows=False, batch=call.batch) if call.sides else [],
    "column": lambda call: mismatches.by_one_axis(*call.sides, usual=call.usual) if call.sides else [],
    "broadcast": lambda call: mismatches.by_one_axis(*call.sides, spreads=True, usual=call.usual) if call.sides else [],
    "device": lambda call: mismatches.of_device(call.finding.argument, call.arguments),
    "floating labels": _read_as_soft,
    "call": lambda call: [(call.finding.argument, LOSS)],
}
#: All that a rule may say.
KNOWN: Final = frozenset({*_OF_ONE, *_OF_TWO})
