"""A report as JUnit XML, which most CI systems show as tests: a case for each finding, or one that passed."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from lossguard.reports.lines import plain
from lossguard.reports.text import render_finding, verdict_line

if TYPE_CHECKING:
    from lossguard.findings import Finding
    from lossguard.reports.report import Report


def render(report: Report) -> str:
    """The whole report as one test suite. A warning is a case that passed, with its text as output."""
    cases = [_case(finding) for finding in report.findings]
    differences = tuple(getattr(report, "differences", ()))
    cases += [_failure("contract", f"contract {number}", text, text) for number, text in enumerate(differences, 1)]
    failures = sum(finding.is_error for finding in report.findings) + len(differences)
    cases = cases or [f'    <testcase classname="lossguard" name={_quoted(verdict_line(report))}/>']
    return "\n".join(
        [
            '<?xml version="1.0" encoding="utf-8"?>',
            f'<testsuites><testsuite name="lossguard" tests="{len(cases)}" failures="{failures}" errors="0">',
            *cases,
            "</testsuite></testsuites>",
        ]
    )


def _case(finding: Finding) -> str:
    name, body = f"{finding.code} {finding.name}", _text(render_finding(finding))
    if finding.is_error:
        return _failure(finding.loss, name, finding.message, body)
    return (
        f"    <testcase classname={_quoted(finding.loss)} name={_quoted(name)}>"
        f"<system-out>{escape(body)}</system-out></testcase>"
    )


def _failure(classname: str, name: str, message: str, body: str) -> str:
    return (
        f"    <testcase classname={_quoted(classname)} name={_quoted(name)}>"
        f"<failure message={_quoted(message)}>{escape(_text(body))}</failure></testcase>"
    )


def _quoted(text: str) -> str:
    return quoteattr(plain(text))


def _text(text: str) -> str:
    """Lines of text without the characters that XML does not allow."""
    return "\n".join(plain(line) for line in text.split("\n"))
