"""What a look has shown: findings and a verdict. Data first; text, HTML and JSON are made from it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Final

from lossguard.findings import Finding
from lossguard.records import dataclass

SCHEMA: Final = 1


class Verdict(StrEnum):
    """The verdicts, the gravest first."""

    BROKEN = "broken"
    SUSPICIOUS = "suspicious"
    SOUND = "sound"
    UNRELATED = "unrelated"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Report:
    """Findings, the most useful first, and what was looked at.

    Reports pickle and add up: `sum(reports, Report())` holds each finding once.
    """

    findings: tuple[Finding, ...] = ()
    #: What was looked at, a line each.
    subjects: tuple[str, ...] = ()
    #: The verdict when there is no finding: sound, unless a window says otherwise.
    otherwise: Verdict = Verdict.SOUND
    #: What to do next, a line each, two at most.
    advice: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """`broken` with any error, else `suspicious` with any warning, else `sound`."""
        if any(finding.is_error for finding in self.findings):
            return Verdict.BROKEN
        return Verdict.SUSPICIOUS if self.findings else self.otherwise

    @property
    def summary(self) -> tuple[tuple[str, str], ...]:
        """What a window tells besides findings: a label and a text, a line each."""
        return ()

    def __add__(self, other: Report) -> Report:
        if not isinstance(other, Report):
            return NotImplemented
        extra = tuple(finding for finding in other.findings if finding not in self.findings)
        subjects = tuple(dict.fromkeys(self.subjects + other.subjects))
        gravest = min(self.otherwise, other.otherwise, key=list(Verdict).index)
        return Report(self.findings + extra, subjects, gravest, tuple(dict.fromkeys(self.advice + other.advice)))

    def __radd__(self, other: int) -> Report:
        return self if other == 0 else NotImplemented

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __bool__(self) -> bool:
        """A report is true when there is something to say."""
        return bool(self.findings)

    def __repr__(self) -> str:
        found = ", ".join(f"{finding.code} {finding.name}" for finding in self.findings[:3])
        more = f", {len(self.findings) - 3} more" if len(self.findings) > 3 else ""
        return f"<Report {self.verdict}{': ' if found else ''}{found}{more}>"

    def __str__(self) -> str:
        from lossguard.reports.text import render

        return render(self)

    def _repr_html_(self) -> str:
        from lossguard.reports.html import render

        return render(self)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, schema 1."""
        from lossguard import __version__

        shown = {
            "schema": SCHEMA,
            "tool": "lossguard",
            "version": __version__,
            "verdict": str(self.verdict),
            "subjects": list(self.subjects),
            "findings": [finding.to_dict() for finding in self.findings],
        }
        return {**shown, "next": list(self.advice)} if self.advice else shown

    def to_json(self, indent: int | None = 2) -> str:
        """The report as JSON, schema 1; NaN and infinities become the words "nan", "inf" and "-inf"."""
        import json

        return json.dumps(_jsonable(self.to_dict()), indent=indent, allow_nan=False)


def _jsonable(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
