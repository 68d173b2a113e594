"""A report as plain text, the form that logs, pipes and golden tests see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lossguard.findings import Finding
from lossguard.reports.lines import headline, label_width, lines_of, plain

if TYPE_CHECKING:
    from lossguard.reports.report import Report

_LABEL = 9


def render(report: Report) -> str:
    """The whole report, findings separated by empty lines, the verdict last."""
    blocks = [render_finding(finding) for finding in report.findings]
    told = [f"{plain(label):<{_LABEL + 1}} {plain(text)}".rstrip() for label, text in report.summary]
    return "\n\n".join([*blocks, *(["\n".join(told)] if told else []), verdict_line(report)])


def render_finding(finding: Finding) -> str:
    """One finding, headline first."""
    lines = lines_of(finding)
    # Places line up in a column of their own, as far as that stays readable.
    width = max((len(line.text) for line in lines if line.rest and len(line.text) <= 28), default=0)
    labels = label_width(lines)
    body = [f"  {line.label:<{labels}} {_pair(line.text, line.rest, width)}".rstrip() for line in lines]
    return "\n".join([headline(finding), *body])


def _pair(text: str, rest: str, width: int) -> str:
    return f"{text:<{width}}    {rest}" if rest else text


def verdict_line(report: Report) -> str:
    """The last lines: the verdict and what it is about, then what to do next."""
    subjects = "; ".join(plain(subject) for subject in report.subjects[:3])
    first = f"{report.verdict}: {subjects}" if subjects else str(report.verdict)
    return "\n".join([first, *(f"  {'next':<{_LABEL - 1}} {plain(line)}" for line in report.advice)])
