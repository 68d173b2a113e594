"""What is known of one label column, or of parts of it added up: what every source and every engine sends back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from lossguard.facts.facts import MOST_CLASSES, NOTHING, REMEMBERED, Facts, Number, Offender
from lossguard.records import dataclass, field, replace

#: So many different words are counted; of a column with more of them none are.
MOST_WORDS: Final = 2**16
#: The kinds of values that a report shows rows of.
KINDS: Final = ("null", "word", "nan", "infinite", "fractional", "below", "above", "inexact")


@dataclass(frozen=True, slots=True)
class Column:
    """Facts of all labels, and the first rows of each kind of fault.

    Columns add up with `+`, one after the other: it is associative and has `NO_COLUMN` as its identity. A position
    begins with the number of the sample in the column.
    """

    facts: Facts = NOTHING
    #: How many samples were read: rows of a table, items of a dataset, images.
    samples: int = 0
    firsts: Mapping[str, tuple[Offender, ...]] = field(default_factory=dict)
    #: Labels that are no numbers, with their counts; None if there are too many different ones.
    words: Mapping[str, int] | None = field(default_factory=dict)
    #: The shape of a sample: () for one label each. Sizes that differ are -1; None where not even the rank is the same.
    inner: tuple[int, ...] | None = None
    #: The fewest and the most labels that a sample has, where samples hold lists.
    lengths: tuple[int, int] | None = None
    #: Whether a string that is a number is spelled as a float: 1.0 and not 1.
    floats: bool = False

    def __add__(self, other: Column) -> Column:
        if not isinstance(other, Column):
            return NotImplemented
        if self.facts.parts == 0:
            return other
        if other.facts.parts == 0:
            return self
        return merged(self, other.moved(self.samples))

    def moved(self, by: int) -> Column:
        """The same labels, so many samples further on."""
        if not by:
            return self
        firsts = {
            kind: tuple(Offender(o.value, (o.position[0] + by, *o.position[1:])) for o in found)
            for kind, found in self.firsts.items()
        }
        return replace(self, firsts=firsts)

    @property
    def wordy(self) -> int:
        """How many labels are words; what is no number and too varied to be listed counts as well."""
        if self.words is not None:
            return sum(self.words.values())
        return (self.facts.count or 0) - (self.facts.null or 0)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the target if all samples were one batch; what has no common shape is laid end to end."""
        if self.inner is None:
            return (self.facts.count or 0,)
        return (1, self.facts.count or 0) if -1 in self.inner else (self.samples, *self.inner)


NO_COLUMN: Final = Column()


def merged(one: Column, other: Column) -> Column:
    """Both columns, their positions as they are."""
    return Column(
        one.facts + other.facts,
        one.samples + other.samples,
        {kind: _first(one.firsts.get(kind, ()), other.firsts.get(kind, ())) for kind in KINDS},
        _words(one.words, other.words),
        common_shape(one.inner, other.inner),
        _span(one.lengths, other.lengths),
        one.floats or other.floats,
    )


def total(columns: Iterable[Column]) -> Column:
    """All the columns added up, in their order."""
    result = NO_COLUMN
    for column in columns:
        result += column
    return result


class Total:
    """Columns added up as they come. Each is kept without its histogram, so that many parts take little memory."""

    def __init__(self) -> None:
        self.columns: list[Column] = []
        self._sum = NO_COLUMN
        self._counts: dict[int, int] | None = {}

    def add(self, column: Column) -> None:
        """Add what comes after all that was added before."""
        counts = column.facts.class_counts
        if column.facts.parts:
            if self._counts is None or counts is None:
                self._counts = None
            else:
                for label, times in counts.items():
                    self._counts[label] = self._counts.get(label, 0) + times
                self._counts = self._counts if len(self._counts) <= MOST_CLASSES else None
        bare = replace(column, facts=replace(column.facts, class_counts=None))
        self.columns.append(bare)
        self._sum += bare

    def column(self) -> Column:
        """All of it, with the histogram."""
        facts = self._sum.facts
        if not facts.parts or self._counts is None:
            return self._sum
        return replace(self._sum, facts=replace(facts, class_counts=dict(sorted(self._counts.items()))))


def by_kind(columns: Iterable[Column]) -> list[Column]:
    """The columns of one kind and dtype together, at their rows in the whole: files of one folder may disagree."""
    groups: dict[tuple[str | None, str | None], Column] = {}
    row = 0
    for column in columns:
        if column.facts.parts:
            key, moved = (column.facts.kind, column.facts.dtype), column.moved(row)
            groups[key] = merged(groups[key], moved) if key in groups else moved
        row += column.samples
    return list(groups.values())


def offenders_of(firsts: Mapping[str, Iterable[Offender]]) -> tuple[Offender, ...]:
    """The first offenders of all kinds that are numbers, in the order of their rows."""
    every = {o.position: o for kind, found in firsts.items() if kind not in {"null", "word"} for o in found}
    return tuple(every[position] for position in sorted(every))[:REMEMBERED]


def common_shape(one: tuple[int, ...] | None, other: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """The shape of both; -1 for each size where they have the rank in common and nothing else."""
    if one == other or one is None or other is None:
        return one if one == other else None
    return (-1,) * len(one) if len(one) == len(other) else None


def _first(one: tuple[Offender, ...], other: tuple[Offender, ...]) -> tuple[Offender, ...]:
    return tuple(sorted(one + other, key=lambda offender: offender.position)[:REMEMBERED])


def _words(one: Mapping[str, int] | None, other: Mapping[str, int] | None) -> dict[str, int] | None:
    if one is None or other is None:
        return None
    added = {word: one.get(word, 0) + other.get(word, 0) for word in {**one, **other}}
    return None if len(added) > MOST_WORDS else dict(sorted(added.items()))


def _span(one: tuple[int, int] | None, other: tuple[int, int] | None) -> tuple[int, int] | None:
    return None if one is None or other is None else (min(one[0], other[0]), max(one[1], other[1]))


def histogram(column: Column) -> list[tuple[Any, int]]:
    """The labels and how often each occurs: numbers first, then words."""
    numbers: list[tuple[Number, int]] = sorted((column.facts.class_counts or {}).items())
    return [*numbers, *(column.words or {}).items()]
