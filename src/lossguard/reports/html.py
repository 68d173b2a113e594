"""A report as HTML for notebooks: one self-contained block, everything in it escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from lossguard.findings import Finding
from lossguard.reports.lines import lines_of, plain
from lossguard.reports.text import verdict_line

if TYPE_CHECKING:
    from lossguard.reports.report import Report

_COLOURS = {"error": "#c62828", "warning": "#b26a00", "broken": "#c62828", "suspicious": "#b26a00"}
_SOUND = "#2e7d32"
_LABEL = "font:inherit;opacity:.6;padding:0 1em 0 0;vertical-align:top;text-align:left"
_BLOCK = "font-family:ui-monospace,monospace;font-size:13px;line-height:1.5"


def render(report: Report) -> str:
    """The whole report as one `div`."""
    blocks = "".join(_finding(finding) for finding in report.findings)
    colour = _COLOURS.get(report.verdict, _SOUND)
    verdict = f'<div style="color:{colour};font-weight:bold">{escape(verdict_line(report))}</div>'
    return f'<div class="lossguard" style="{_BLOCK}">{blocks}{verdict}</div>'


def render_folded(report: Report) -> str:
    """The findings as one `div`, each folded behind its headline until it is opened."""
    folded = "".join(
        f"<details><summary>{escape(finding.severity)}[{escape(finding.code)}] {escape(finding.name)}, "
        f"{escape(plain(finding.place.where if finding.place else finding.loss))}: open in full</summary>"
        f"{_finding(finding)}</details>"
        for finding in report.findings
    )
    return f'<div class="lossguard" style="{_BLOCK}">{folded}</div>'


def _finding(finding: Finding) -> str:
    colour = _COLOURS[finding.severity]
    rows = "".join(
        f'<tr><td style="{_LABEL}">{escape(line.label)}</td>'
        f'<td style="font:inherit;text-align:left;padding:0"><code style="font:inherit">{escape(line.text)}</code>'
        f"{_aside(line.aside)}</td></tr>"
        for line in lines_of(finding)
    )
    return (
        f'<div style="border-left:3px solid {colour};padding-left:.8em;margin:.6em 0">'
        f'<div><span style="color:{colour};font-weight:bold">{escape(finding.severity)}[{escape(finding.code)}]</span> '
        f"<b>{escape(finding.name)}</b>: {escape(plain(finding.message))}</div>"
        f'<table style="border:none;margin:.2em 0;font:inherit">{rows}</table></div>'
    )


def _aside(text: str) -> str:
    return f' <span style="opacity:.7">{escape(text)}</span>' if text else ""
