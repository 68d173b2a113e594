"""What an audit knows of one split: its labels, its files, and what the classes look like."""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from typing import Any, Final

from lossguard.audit.column import Column, by_kind, total
from lossguard.audit.sources.part import Source
from lossguard.records import dataclass, field

#: Marks for "no label" that the common data sets use.
MARKS: Final = (-100, -1, 255)
#: So many counts and files are told in JSON; the rest is in the totals.
_TOLD: Final = 10_000


@dataclass(frozen=True, slots=True)
class Split:
    """One source under a name, read."""

    name: str
    source: Source
    #: A column for each part of the source, in order.
    columns: tuple[Column, ...] = ()
    #: Whether the footers of Parquet files gave the answer, and no label was read.
    from_footers: bool = False
    #: Whether reading ended before the end, by Ctrl-C or by a limit.
    partial: bool = False
    whole: Column = field(default_factory=Column)

    @property
    def kinds(self) -> list[Column]:
        """The columns added up by kind and dtype; one, where all files agree."""
        return [self.source.settle(column) for column in by_kind(self.columns)]

    def name_of(self, sample: int) -> str:
        """`row 1207`, and of which file where there are several."""
        starts, names = self._starts()
        place = max(bisect.bisect_right(starts, sample) - 1, 0)
        if len(set(names)) < 2:
            return f"{self.source.unit} {sample}"
        first = starts[names.index(names[place])]
        if self.source.unit == "image" and names.count(names[place]) == 1 and self.columns[place].samples == 1:
            return names[place]
        return f"{self.source.unit} {sample - first} of {names[place]}"

    def _starts(self) -> tuple[list[int], list[str]]:
        starts, names, row = [], [], 0
        for part, column in zip(self.source.parts, self.columns, strict=False):
            starts.append(row)
            names.append(part.name)
            row += column.samples
        return starts, names

    @property
    def uneven(self) -> tuple[int, int] | None:
        """The fewest and the most labels of a sample, where a live dataset gives samples of several sizes."""
        from lossguard.audit.sources.datasets import DatasetPart

        lengths = self.whole.lengths
        sampled = any(isinstance(part, DatasetPart) for part in self.source.parts)
        return lengths if sampled and lengths is not None and lengths[0] < lengths[1] else None

    def files(self) -> dict[str, Column]:
        """The labels of each file."""
        found: dict[str, list[Column]] = {}
        for part, column in zip(self.source.parts, self.columns, strict=False):
            found.setdefault(part.name, []).append(column)
        return {name: self.source.settle(total(columns)) for name, columns in found.items()}

    def counts(self) -> Mapping[Any, int]:
        """How often each label occurs: numbers, or words where there are no numbers. Empty if that is not known."""
        facts = self.whole.facts
        return facts.class_counts or self.whole.words or {}

    def absent(self, classes: int, ignore: int | None) -> list[int]:
        """The classes that no label names; none are told where the labels were not counted."""
        seen = self.whole.facts.class_counts
        if not seen or self.from_footers:
            return []
        return [number for number in range(min(classes, 1_000_000)) if number not in seen and number != ignore]

    def marks(self, ignore: int | None) -> dict[int, int]:
        """Values that usually mean "no label", with their counts, the ignore index left aside."""
        seen = self.whole.facts.class_counts or {}
        return {
            mark: seen[mark] for mark in MARKS if mark in seen and mark != ignore and (mark < 0 or _apart(seen, mark))
        }

    def imbalance(self, ignore: int | None) -> float | None:
        """How many times more labels the largest class has than the smallest that has any."""
        aside = {ignore, *self.marks(ignore)}
        counts = [times for label, times in self.counts().items() if label not in aside and not _negative(label)]
        return max(counts) / min(counts) if len(counts) > 1 else None

    def to_dict(self, classes: int | None, ignore: int | None) -> dict[str, Any]:
        """The split as JSON shows it."""
        facts, counts = self.whole.facts, self.counts()
        shown: dict[str, Any] = {
            "name": self.name,
            "source": self.source.name,
            "samples": self.whole.samples,
            "labels": facts.count,
            "kind": facts.kind,
            "from_footers": self.from_footers,
            "partial": self.partial,
            **{key: value for key, value in facts.evidence().items() if key not in {"device", "shape", "count"}},
            "counts": {str(label): times for label, times in list(counts.items())[:_TOLD]},
            "different_labels": len(counts) or None,
            "absent_classes": self.absent(classes or 0, ignore)[:_TOLD],
            "marks": {str(mark): times for mark, times in self.marks(ignore).items()},
            "imbalance": self.imbalance(ignore),
            "class_names": list(self.source.names[:_TOLD]),
            "files": [_file(name, column) for name, column in list(self.files().items())[:_TOLD]],
            "notes": list(self.source.notes),
        }
        return {key: value for key, value in shown.items() if value is not None}


def _apart(seen: Mapping[int, int], mark: int) -> bool:
    """Whether a value stands apart from all others, as 255 does above nineteen classes."""
    return mark - 1 not in seen and max(seen) == mark


def _negative(label: Any) -> bool:
    return isinstance(label, int) and label < 0


def _file(name: str, column: Column) -> dict[str, Any]:
    facts = column.facts
    wrong = {key: getattr(facts, key) for key in ("null", "nan", "fractional", "below", "above")}
    shown = {"name": name, "samples": column.samples, "dtype": facts.dtype, **{k: v for k, v in wrong.items() if v}}
    for key in ("smallest", "largest"):
        value = getattr(facts, key)
        if value is not None and value not in {float("inf"), float("-inf")}:
            shown[key] = value
    return shown
