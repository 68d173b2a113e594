"""Two shapes that a text without an error names, one of an output and one of its target: in what they do not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lossguard.explain import causes as rule
from lossguard.explain.checks import GIVEN, WANTED
from lossguard.records import dataclass

Shape = tuple[int, ...]

#: `(16, 19, 512)`, `torch.Size([16, 19])`, `(16L, 19L)`, `[16 x 19]`.
_SHAPE: Final = r"[\[(](\d{1,7}l?(?:(?:, ?| ?x ?)\d{1,7}l?){0,5},?)[\])]"
_BETWEEN: Final = r"[^\n\[(\d]{0,40}?(?:\(\))?[^\n\[(\d]{0,20}?(?:\(?torch\.size\()?"
#: Words that make two shapes the arguments of a loss.
_ABOUT: Final = r"loss|criteri|entropy|assert|dice|\berror\b|mismatch"
#: What takes class indices, so that a target with a channel for each class does not fit.
_CLASSES: Final = r"(?<!binary_)cross[ _-]?entropy|crossentropy|nll_?loss|multi_?class\b"
_SAMPLES: Final = 1


@dataclass(frozen=True, slots=True)
class Misfit:
    """A fault that two shapes show: the module of its rule, its weight and why."""

    module: str
    weight: int
    because: str


def misfits(text: str) -> list[Misfit]:
    """What the shapes of an output and of a target, named in a text, show; nothing where they fit or one is missing."""
    lowered = text.lower().replace("`", "")
    if not re.search(_ABOUT, lowered):
        return []
    shapes = shapes_in(text)
    if shapes is None:
        return []
    given, wanted = shapes
    shown = f"the text shows an output of {given} and a target of {wanted}"
    takes_classes = re.search(_CLASSES, lowered) is not None
    return [Misfit(module, weight, f"{shown}: {why}") for module, weight, why in _differ(given, wanted, takes_classes)]


def shapes_in(text: str) -> tuple[Shape, Shape] | None:
    """The shapes of an output and of a target that a text names; None where one of them is missing."""
    lowered = text.lower().replace("`", "")
    given, wanted = _shape_of(GIVEN, lowered), _shape_of(WANTED, lowered)
    return None if given is None or wanted is None else (given, wanted)


def _shape_of(names: str, text: str) -> Shape | None:
    """The shape that stands behind the first of some names."""
    found = re.search(rf"(?<![\w.]){names}\b{_BETWEEN}{_SHAPE}", text)
    return tuple(int(size) for size in re.findall(r"\d+", found[1])) if found else None


def _differ(given: Shape, wanted: Shape, takes_classes: bool) -> Iterator[tuple[str, int, str]]:
    """The faults that two shapes may be, the likeliest first."""
    if given == wanted:
        if takes_classes and len(given) > _SAMPLES:
            yield rule.ONE_HOT, 60, "a loss of class indices takes one number where the target has a row"
        return
    if wanted == given[:1] + given[2:]:
        return
    if wanted == (*given[:1], 1, *given[2:]) and takes_classes:
        yield rule.COLUMN, 66, "the target has an axis of size 1 too many"
    elif (*given, 1) == wanted or (*wanted, 1) == given:
        yield (rule.COLUMN if takes_classes else rule.BROADCAST), 66, "they differ by an axis of size 1"
    elif wanted == given[:-1]:
        yield rule.AXIS, 66, "the classes are on the last axis; a loss takes them on axis 1"
    elif wanted[:1] != given[:1]:
        yield rule.BATCH, 64, "the numbers of samples differ"
    yield rule.SHAPE, 62, "they do not fit"
    if len(given) == len(wanted):
        yield rule.ONE_HOT, 50, "the target has channels, as one-hot rows and colour images have"
