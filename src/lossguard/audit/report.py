"""The report of an audit: findings, and what the labels look like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from lossguard.audit.demand import Demand
from lossguard.audit.split import Split
from lossguard.records import dataclass
from lossguard.reports.lines import number
from lossguard.reports.report import Report, Verdict

#: So many classes are told one by one.
_FEW: Final = 12
#: No more of a label than this is told.
_LONGEST: Final = 40


@dataclass(frozen=True, slots=True)
class AuditReport(Report):
    """A `Report` with the splits that were read."""

    splits: tuple[Split, ...] = ()
    demand: Demand | None = None
    classes: int | None = None
    #: What differs from the contract file.
    differences: tuple[str, ...] = ()
    #: Whether Ctrl-C ended the audit; then what is said holds for what was read.
    interrupted: bool = False

    @property
    def verdict(self) -> Verdict:
        """`broken` with any difference from the contract; what was interrupted is not sound; else as every report."""
        found: Verdict = Report.verdict.fget(self)  # type: ignore[attr-defined]
        if self.differences:
            return Verdict.BROKEN
        return Verdict.UNKNOWN if self.interrupted and found is Verdict.SOUND else found

    @property
    def ignore_index(self) -> int | None:
        """The label that does not count."""
        return self.demand.ignore_index if self.demand is not None else None

    @property
    def summary(self) -> tuple[tuple[str, str], ...]:
        """What the labels look like, a line each."""
        lines = [line for split in self.splits for line in self._split_lines(split)]
        if any(sample.key for finding in self.findings for sample in finding.samples):
            sources = dict.fromkeys((split.source.unit, split.source.counted) for split in self.splits)
            lines += [(f"{unit}s", f"counted from 0{counted}") for unit, counted in sources]
        lines += [("drift", text) for text in self.drift()]
        lines += [("contract", text) for text in self.differences]
        if self.interrupted:
            lines.append(("stopped", "interrupted: all this is about what was read until then"))
        return tuple(lines)

    def _split_lines(self, split: Split) -> Iterator[tuple[str, str]]:
        several = f"{split.name}: " if len(self.splits) > 1 else ""
        yield "labels", several + self._labels(split)
        counts, ignore = split.counts(), self.ignore_index
        of_classes = self.demand is not None and self.demand.is_of_classes and not self._reads_rows(split)
        if counts and (of_classes or split.whole.words):
            yield "counts", several + _counted(split)
        absent = split.absent(self.classes or 0, ignore)
        if absent and of_classes:
            have = "has" if len(absent) == 1 else "have"
            yield "absent", f"{several}{len(absent):,} of {self.classes:,} classes {have} no label: {_listed(absent)}"
        for mark, times in split.marks(ignore).items():
            often = "once" if times == 1 else f"{times:,} times"
            yield "mark", f"{several}{mark} is there {often}; it often means that there is no label"
        if split.from_footers:
            groups = counted(len(split.source.parts), "row group")
            yield "read", f"{several}the footers of {groups}; --full reads and counts the labels"
        elif split.partial:
            yield "read", f"{several}the first {split.whole.samples:,} {split.source.unit}s only"
        if split.uneven is not None:
            fewest, most = split.uneven
            yield "uneven", f"{several}samples hold {fewest:,} to {most:,} labels; torch cannot stack them into a batch"
        for note in split.source.notes:
            yield "note", several + note

    def _reads_rows(self, split: Split) -> bool:
        column = split.whole
        return self.demand is not None and self.demand.reads_rows(column.shape, column.facts.rows, self.classes or 0)

    def _labels(self, split: Split) -> str:
        facts, column = split.whole.facts, split.whole
        parts = [counted(column.samples, split.source.unit)]
        if facts.count != column.samples:
            parts.append(f"{facts.count or 0:,} labels")
        kinds = sorted({str(kind.facts.dtype) for kind in split.kinds})
        parts.append(" and ".join(kinds) if kinds else "no type")
        low, high = facts.smallest, facts.largest
        if low is not None and high is not None and low <= high:
            parts.append(f"from {number(low)} to {number(high)}")
        if self.demand is not None and self.demand.is_of_classes and (self.demand.classes is not None or facts.count):
            said = self.demand.known_from or ("given" if self.demand.classes is not None else "")
            told = "by the largest label" if facts.largest is not None else "by the different words"
            parts.append(f"{counted(self.classes or 0, 'class', 'classes')} ({said or told})")
        words = {"null": "missing", "nan": "NaN", "fractional": "fractional", "ignored": "ignored"}
        parts += [f"{getattr(facts, key):,} {word}" for key, word in words.items() if getattr(facts, key)]
        return "; ".join(parts)

    def drift(self) -> list[str]:
        """Classes that one split has and another has not."""
        found = []
        known = [(split.name, split.counts()) for split in self.splits if split.counts()]
        for name, counts in known:
            for other, others in known:
                missing = [label for label in counts if label not in others and label != self.ignore_index]
                if name != other and missing:
                    some = counted(len(missing), "class", "classes")
                    found.append(f"{some} of {name} {_are(missing)} not in {other}: {_listed(missing)}")
        return found

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, schema 1, with an object `audit`."""
        shown = Report.to_dict(self)
        shown["audit"] = {
            "loss": self.demand.loss if self.demand is not None else None,
            "classes": self.classes,
            "classes_given": self.demand is not None and self.demand.classes is not None,
            "ignore_index": self.ignore_index,
            "splits": [split.to_dict(self.classes, self.ignore_index) for split in self.splits],
            "drift": self.drift(),
            "differences": list(self.differences),
            "interrupted": self.interrupted,
        }
        return shown


def counted(count: int, unit: str, units: str = "") -> str:
    """`1 row`, `2 rows`."""
    return f"{count:,} {unit if count == 1 else units or unit + 's'}"


def _are(things: list[Any]) -> str:
    return "is" if len(things) == 1 else "are"


def _listed(labels: list[Any]) -> str:
    return ", ".join(map(str, labels[:_FEW])) + (", ..." if len(labels) > _FEW else "")


def _counted(split: Split) -> str:
    counts, names = split.counts(), split.source.names
    shown = [f"{_named(label, names)}: {times:,}" for label, times in counts.items()]
    if len(shown) <= _FEW:
        return ", ".join(shown)
    most, least = max(counts, key=lambda label: counts[label]), min(counts, key=lambda label: counts[label])
    return (
        f"{len(counts):,} different labels; most often {_named(most, names)} ({counts[most]:,}), "
        f"least often {_named(least, names)} ({counts[least]:,})"
    )


def _named(label: Any, names: tuple[str, ...]) -> str:
    shown = f"{label} {names[label]}" if isinstance(label, int) and 0 <= label < len(names) else str(label)
    return shown if len(shown) <= _LONGEST else shown[:_LONGEST] + "..."
