"""A report as annotations of GitHub Actions: one `::error` or `::warning` line for each finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossguard.reports.lines import plain

if TYPE_CHECKING:
    from lossguard.findings import Finding
    from lossguard.reports.report import Report


def render(report: Report) -> str:
    """All findings as workflow commands; what differs from a contract, and the verdict, as plain lines."""
    lines = [_annotation(finding) for finding in report.findings]
    lines += [f"::error title=lossguard contract::{_data(text)}" for text in getattr(report, "differences", ())]
    subjects = "; ".join(map(plain, report.subjects))
    # A program that was watched names no subject: the places above are all there is.
    return "\n".join([*lines, ": ".join(filter(None, ("lossguard", str(report.verdict), subjects)))])


def _annotation(finding: Finding) -> str:
    place = finding.place or (finding.origin[-1].place if finding.origin else None)
    where = f"file={_property(place.file)},line={place.line}," if place is not None else ""
    where += f"col={place.column}," if place is not None and place.column else ""
    message = " ".join(filter(None, [finding.message, _first_sample(finding)]))
    return f"::{finding.severity} {where}title={_property(f'{finding.code} {finding.name}')}::{_data(message)}"


def _first_sample(finding: Finding) -> str:
    sample = next(iter(finding.samples), None)
    return f"(first: {sample.key})" if sample is not None and sample.key else ""


def _data(text: str) -> str:
    """A message, with what GitHub would take for the end of a line escaped."""
    return plain(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
