"""Shapes as patterns: `"N C *d"` against `"N *d"`, read once and matched against sizes.

A pattern is a string of words. A number must be that size, a name stands for one size and must be the
same wherever it occurs, and `*name` stands for any number of sizes. The empty pattern is a scalar. `#name`
alone is any shape with that many entries in all.

>>> match("N C *d", (8, 5, 32, 32), {})
{'N': (8,), 'C': (5,), 'd': (32, 32)}
>>> match("N *d", (8, 32, 31), {"N": (8,), "d": (32, 32)}) is None
True
"""

from __future__ import annotations

import math
from collections.abc import Mapping

Shape = tuple[int, ...]
Sizes = Mapping[str, Shape]


def match(pattern: str, shape: Shape, known: Sizes) -> dict[str, Shape] | None:
    """The sizes that make `pattern` fit `shape`, on top of those `known`; None if none do."""
    words = pattern.split()
    if pattern.startswith("#"):
        return dict(known) if known.get(pattern[1:]) == (math.prod(shape),) else None
    star = next((place for place, word in enumerate(words) if word.startswith("*")), None)
    if star is None:
        return _match_each(words, shape, known)
    spare = len(shape) - (len(words) - 1)
    if spare < 0:
        return None
    front, middle, back = shape[:star], shape[star : star + spare], shape[star + spare :]
    sizes = _match_each(words[:star], front, known)
    if sizes is None or sizes.setdefault(words[star][1:], middle) != middle:
        return None
    return _match_each(words[star + 1 :], back, sizes)


def _match_each(words: list[str], shape: Shape, known: Sizes) -> dict[str, Shape] | None:
    if len(words) != len(shape):
        return None
    sizes = dict(known)
    for word, size in zip(words, shape, strict=True):
        if word.isdigit():
            if int(word) != size:
                return None
        elif sizes.setdefault(word, (size,)) != (size,):
            return None
    return sizes


def fill(pattern: str, sizes: Sizes) -> Shape | None:
    """The shape that `pattern` means under `sizes`; None while a name in it is unknown."""
    shape: list[int] = []
    for word in pattern.split():
        if word.isdigit():
            shape.append(int(word))
        elif (found := sizes.get(word.lstrip("*#"))) is None:
            return None
        else:
            shape.extend(found)
    return tuple(shape)


def show(shape: Shape) -> str:
    """The shape as a report writes it: `[64, 10]`, and `[]` for a scalar."""
    return "[" + ", ".join(map(str, shape)) + "]"
