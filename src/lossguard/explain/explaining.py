"""`explain`: paste the error, get the cause."""

from __future__ import annotations

from typing import Final

from lossguard.explain.candidates import Candidate, best_of, candidates, fits, has, is_an_error
from lossguard.explain.closing import advice, subjects
from lossguard.explain.index_words import OTHERS
from lossguard.explain.telling import Telling, read
from lossguard.explain.unrelated import (
    ELSEWHERE_IS,
    MISSING_KERNEL,
    MISSING_KERNEL_IS,
    OTHER_PACKAGE_IS,
    OTHER_PACKAGES,
    UNRELATED,
    UNRELATED_ALONE,
)
from lossguard.findings import Finding, Place
from lossguard.records import replace
from lossguard.reports.report import Report, Verdict
from lossguard.rules.saying import ALL_LOSSES, EVERYTHING

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
    tellings = read(text)
    if not tellings[-1].words:
        return Report((), ("there is no text",), Verdict.UNKNOWN)
    report, telling = _first([(_explained(telling), telling) for telling in tellings])
    others = len(tellings) - 2 if len(tellings) > 2 else 0
    report = replace(report, subjects=subjects(report, telling, others), advice=advice(report, telling))
    return replace(report, findings=tuple(_with_source(finding) for finding in report.findings)) if source else report


def _first(explained: list[tuple[Report, Telling]]) -> tuple[Report, Telling]:
    """Of several errors the first that is broken, else the first that says anything; the whole text comes last."""
    for wanted in (Verdict.BROKEN, Verdict.SUSPICIOUS, Verdict.UNRELATED):
        for report, telling in explained:
            if report.verdict is wanted:
                return report, telling
    return explained[-1]


def _explained(telling: Telling) -> Report:
    """What one error, or a text without any, is about."""
    found = [] if telling.is_source else candidates(telling)
    other = None if telling.is_source else _unrelated(telling, found)
    if other is not None:
        return Report((), (other,), Verdict.UNRELATED)
    if not telling.asserts and (not found or not is_an_error(found, telling)):
        from lossguard.explain.symptoms import symptoms

        found = best_of(found + symptoms(telling)) if found or not telling.errors or _is_mute(telling) else found
    if not found:
        return Report((), ("lossguard knows none of the words in this text",), Verdict.UNKNOWN)
    # Loaded late: a text that is not about a loss needs no judge.
    from lossguard.explain.weighing import findings_of

    return Report(findings_of(telling, found), (), Verdict.UNKNOWN)


def _unrelated(telling: Telling, found: list[Candidate]) -> str | None:
    """What the text is about if that is no loss and no index; None when it is one, or nothing is known."""
    sure = any(candidate.is_of_a_call for candidate in found)
    if sure or (found and telling.asserts):
        return None
    if (package := _package(telling)) and not any(candidate.library == "" for candidate in found):
        return OTHER_PACKAGE_IS.format(package=package)
    for words, (template, meaning) in zip(OTHERS, UNRELATED if found else UNRELATED + UNRELATED_ALONE, strict=False):
        if has(words, telling) and fits(template, telling):
            return meaning
    if found:
        return None
    others = sorted(telling.operations - EVERYTHING)
    if not telling.errors and not telling.named:
        return None
    if others and not telling.hints & ALL_LOSSES and not telling.operations & EVERYTHING:
        return ELSEWHERE_IS.format(op=others[0])
    return MISSING_KERNEL_IS if fits(MISSING_KERNEL, telling) else None


def _is_mute(telling: Telling) -> bool:
    """Whether all that failed are checks without a message: then the rest of the text has to tell."""
    return all(error == "AssertionError" for error in telling.errors)


def _package(telling: Telling) -> str:
    """The package of others that the last frame is in."""
    file = telling.frames[-1].file.replace("\\", "/") if telling.frames else ""
    return next((name for part, name in OTHER_PACKAGES if part in file), "")


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
