"""`explain`: paste the error, get the cause."""

from __future__ import annotations

from typing import Final

from lossguard.explain.candidates import Candidate, candidates, fits
from lossguard.explain.telling import Telling, read
from lossguard.explain.unrelated import (
    ELSEWHERE_IS,
    LOST_DEVICE,
    MISSING_KERNEL,
    MISSING_KERNEL_IS,
    TRUE_LINE,
    UNRELATED,
    UNRELATED_ALONE,
)
from lossguard.findings import Finding, Place
from lossguard.records import replace
from lossguard.reports.report import Report, Verdict
from lossguard.rules.saying import EVERYTHING

_LONGEST_SOURCE: Final = 2_000_000


def explain(text: str, *, source: bool = True) -> Report:
    """What a pasted traceback, log or error line is about: findings, the likeliest first.

    Nothing in the text is run. With `source`, the user's own line is read from its file if that is here.

    >>> import lossguard
    >>> report = lossguard.explain("RuntimeError: expected scalar type Long but found Float")
    >>> report.findings[0].name
    'float-class-target'
    """
    if not isinstance(text, str):
        raise TypeError(f"explain takes the text of an error as a string; this is {type(text).__name__}")
    telling = read(text)
    if not telling.words:
        return Report((), ("there is no text",), Verdict.UNKNOWN)
    found = candidates(telling)
    other = _unrelated(telling, found)
    if other is not None:
        return Report((), (other,), Verdict.UNRELATED)
    if not found:
        return Report((), ("the text has no words that lossguard knows",), Verdict.UNKNOWN)
    # Loaded late: a text that is not about a loss needs no judge.
    from lossguard.explain.weighing import findings_of

    findings = findings_of(telling, found)
    if source:
        findings = tuple(_with_source(finding) for finding in findings)
    return Report(findings, _subjects(telling), Verdict.UNKNOWN)


def _unrelated(telling: Telling, found: list[Candidate]) -> str | None:
    """What the text is about if that is no loss and no index; None when it is one, or nothing is known."""
    sure = any(candidate.is_of_a_call for candidate in found)
    if sure or (found and telling.asserts):
        return None
    for template, meaning in UNRELATED if found else UNRELATED + UNRELATED_ALONE:
        if fits(template, telling):
            return meaning
    if found:
        return None
    others = sorted(telling.operations - EVERYTHING)
    if others and not telling.operations & EVERYTHING:
        return ELSEWHERE_IS.format(op=others[0])
    return MISSING_KERNEL_IS if fits(MISSING_KERNEL, telling) else None


def _subjects(telling: Telling) -> tuple[str, ...]:
    """What the text is: the operation, the torch, the device; and what to know after a device was lost."""
    known = [telling.loss, f"torch {telling.torch}" if telling.torch else "", telling.device]
    if telling.asserts:
        count = telling.assert_lines
        known.append(f"{count:,} assert {'line' if count == 1 else 'lines'} of the device")
    about = ", ".join(filter(None, known)) or "a pasted text"
    return (about, LOST_DEVICE, TRUE_LINE) if telling.is_late else (about,)


def _with_source(finding: Finding) -> Finding:
    """The finding with the user's line as it stands in the file, where the file is here and the text has it not."""
    place = finding.place
    if place is None or place.code or not place.file.endswith(".py"):
        return finding
    line = _line(place.file, place.line)
    return replace(finding, place=Place(place.file, place.line, line)) if line else finding


def _line(file: str, number: int) -> str:
    from pathlib import Path

    path = Path(file)
    try:
        if not path.is_file() or path.stat().st_size > _LONGEST_SOURCE:
            return ""
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, ValueError):
        return ""
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""
