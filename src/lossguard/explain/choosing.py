"""Which cause and which fix come first: by operation, by sign and size of the value, by the argument named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from lossguard.explain.choices import CHOICES
from lossguard.explain.telling import Telling
from lossguard.findings import Fix, Safety

_INT32: Final = 2**31
_COLOURS: Final = 3
_COLOUR_CHANNELS: Final = frozenset({3, 4})
_MANY: Final = 1000
#: Shapes stand near the message.
_LAST: Final = 40
_OF_SHAPES: Final = frozenset({"rows", "channels", "index channel", "one for many", "colour", "space"})
_MARKS: Final = frozenset({-1, -100, 255})


def choose(rule: str, told: Mapping[str, str], telling: Telling) -> tuple[str, Fix | None, bool]:
    """The cause and the fix that the text itself chooses, and whether the rule's own is worth a line beside it."""
    value, size = _number(told, ("target_value", "index_value")), _number(told, ("classes", "size"))
    given, wanted = _shape(told, "input_shape"), _shape(told, "target_shape")
    if (not given or not wanted) and any(row.rule == rule and row.value in _OF_SHAPES for row in CHOICES):
        given, wanted = _told_elsewhere(telling)
    kinds = _of_value(value, size, telling.words) | _of_shapes(given, wanted) | _of_rows(told)
    known = {
        "value": value,
        "more": None if value is None else value + 1,
        "size": size,
        "given": given[1] if len(given) > 1 else None,
        "wanted": wanted[1] if len(wanted) > 1 else None,
    }
    operations = telling.operations | telling.hints
    for row in CHOICES:
        if row.rule != rule or (row.ops and not row.ops & operations) or (row.value and row.value not in kinds):
            continue
        if row.words and not re.search(row.words, telling.words):
            continue
        fix = Fix(row.title.format(**known), Safety.CHANGES_VALUES, row.code.format(**known))
        return row.cause.format(**known), fix, row.keeps
    return "", None, True


def _number(told: Mapping[str, str], names: tuple[str, ...]) -> int | None:
    return next((int(told[name]) for name in names if name in told and told[name].lstrip("-").isdigit()), None)


def _shape(told: Mapping[str, str], name: str) -> tuple[int, ...]:
    return tuple(int(size) for size in re.findall(r"\d+", told.get(name, "")))


def _told_elsewhere(telling: Telling) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shapes that the text names beside its message, or in words that no template has."""
    from lossguard.explain.told_shapes import shapes_in

    return shapes_in("\n".join(telling.lines[-_LAST:])) or ((), ())


def _of_value(value: int | None, size: int | None, words: str) -> set[str]:
    """What a value is: a mark, a negative number, the number of classes itself, ..."""
    if value is None:
        return set()
    # A small number that stands in the text once more is most often the number of classes.
    is_named = 1 < value < _MANY and len(re.findall(rf"(?<![\d.:,-]){value}(?![\d.:,])", words)) > 1
    kinds = {
        "huge": value >= _INT32,
        "mark": value in _MARKS,
        "minus one": value == -1,
        "negative": value < 0 and value not in _MARKS,
        "size": value == size or (size is None and is_named),
        "sized": size is not None and value >= 0,
        "known": value >= 0,
    }
    return {kind for kind, holds in kinds.items() if holds}


def _of_shapes(given: tuple[int, ...], wanted: tuple[int, ...]) -> set[str]:
    """In what two shapes of the same rank differ: rows, channels (a colour image among them), or space."""
    if len(given) != len(wanted) or not given or given == wanted:
        return set()
    differ = [axis for axis, (mine, theirs) in enumerate(zip(given, wanted, strict=True)) if mine != theirs]
    if wanted[-1] in _COLOUR_CHANNELS and given[2:] == wanted[1:-1]:
        return {"colours last"}
    if differ == [0]:
        return {"rows", "no batch"} if len(given) == 1 else {"rows"}
    if len(differ) == 1 and wanted[differ[0]] == 1 and given[differ[0]] > 1 and len(given) > 2:
        return {"one for many", "channels", "index channel"} if differ == [1] else {"one for many"}
    if differ == [1]:
        return {"channels", "colour"} if (given[1], wanted[1]) == (1, _COLOURS) else {"channels"}
    return {"space"} if min(differ) > 1 else set()


def _of_rows(told: Mapping[str, str]) -> set[str]:
    """Which of two batches is a multiple of the other, or by how little they differ."""
    one, other = _number(told, ("n",)), _number(told, ("m",))
    if one is not None and other is not None and abs(one - other) == 1 and min(one, other) > 1:
        return {"off by one"}
    rows, labels = _number(told, ("input_rows",)), _number(told, ("target_rows",))
    if not rows or not labels or rows == labels:
        return set()
    if rows % labels == 0 or labels % rows == 0:
        return {"more rows"} if rows % labels == 0 else {"more labels"}
    step = abs(rows - labels)
    return {"a step"} if step > 1 and rows % step == 0 and labels % step == 0 else set()
