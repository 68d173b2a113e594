"""Labels out of range, sorted into sentinels (marks for "no label") and the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lossguard.facts.facts import Number
from lossguard.records import dataclass
from lossguard.rules.case import Part

#: What people write for "no label": padding and void of the common data sets and libraries.
SENTINELS: Final = frozenset({-1, -100, 255})


@dataclass(frozen=True, slots=True)
class Strays:
    """How many labels are out of range, and which of them look like a mark for "no label"."""

    sentinels: Mapping[Number, int]
    others: int

    @property
    def total(self) -> int:
        """All labels out of range."""
        return sum(self.sentinels.values()) + self.others


def out_of_range(part: Part) -> Strays | None:
    """Sort the labels out of range; None while they are not known."""
    facts = part.facts
    if facts.below is None or facts.above is None or facts.bounds is None:
        return None
    marks = {} if counts_from_one(part) else {**_marks(facts.below_values), **_marks(facts.above_values)}
    return Strays(marks, facts.below + facts.above - sum(marks.values()))


def _marks(values: Mapping[Number, int] | None) -> Mapping[Number, int]:
    """The values on one side of the range, if they are all sentinels; beside others none of them is one."""
    return values if values and SENTINELS.issuperset(values) else {}


def counts_from_one(part: Part) -> bool:
    """Whether the labels look like 1 to C instead of 0 to C - 1: no 0 among them, and C is."""
    facts, bounds = part.facts, part.facts.bounds
    if bounds is None or facts.smallest is None or facts.largest is None:
        return False
    return facts.smallest >= bounds.least + 1 and facts.largest == bounds.limit and bounds.limit != bounds.ignore
