"""Two arguments that do not go together: at which line one of them ceased to fit the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lossguard.tracing.symptoms import Answer, Judgement, Symptom, shape_of

#: The rules about shapes that disagree.
CODES: Final = frozenset({"LG403", "LG404", "LG405"})

Named = tuple[str, Any]
Shape = tuple[int, ...]


def between(given: Named, target: Named, *, rows: bool) -> list[tuple[str, Symptom]]:
    """For the input and for the target, the shape that it has and those that would have fitted the other."""
    ours, theirs = shape_of(given[1]), shape_of(target[1])
    if rows and ours and theirs:
        return [(given[0], _rows(ours[0], theirs[0])), (target[0], _rows(theirs[0], ours[0]))]
    return [
        (given[0], _shaped(ours, lambda shape: _fits(shape, theirs))),
        (target[0], _shaped(theirs, lambda shape: _fits(ours, shape))),
    ]


def narrowed(bad: Shape, good: Shape) -> Symptom:
    """For an argument that had the other's shape before it lost an axis."""
    return _shaped(bad, lambda shape: shape == good)


def _rows(bad: int, good: int) -> Symptom:
    """By the number of rows alone; where the right number stands on another axis, rows may be there."""

    def test(value: Any) -> Answer:
        shape = shape_of(value)
        if shape[:1] == (bad,):
            return None if good in shape else Judgement.BAD
        return Judgement.GOOD if shape[:1] == (good,) else Judgement.NEITHER

    return Symptom("rows", "shape", test, witnessed=True)


def _shaped(bad: Shape, is_good: Any) -> Symptom:
    def test(value: Any) -> Answer:
        shape = shape_of(value)
        if shape == bad:
            return Judgement.BAD
        return Judgement.GOOD if shape and is_good(shape) else Judgement.NEITHER

    return Symptom("shape", "shape", test, witnessed=True)


def _fits(given: Shape, target: Shape) -> bool:
    """Whether a target goes with an input: entry by entry, or one label for the classes on axis 1."""
    return given == target or (len(given) > 1 and (given[0], *given[2:]) == target)


def of_device(name: str, arguments: Mapping[str, Any]) -> list[tuple[str, Symptom]]:
    """A tensor that is not where the first one is."""
    devices = [str(value.device) for value in arguments.values() if hasattr(value, "device")]
    own = str(getattr(arguments.get(name), "device", ""))
    if not devices or not own or own == devices[0]:
        return []

    def test(value: Any) -> Answer:
        found = str(getattr(value, "device", ""))
        return Judgement.BAD if found == own else Judgement.GOOD if found == devices[0] else Judgement.NEITHER

    return [(name, Symptom("device", "device", test, witnessed=True))]
