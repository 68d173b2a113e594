"""A report as HTML, for notebooks and for pages that have a style sheet; everything in it is escaped."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from lossguard.findings import Finding
from lossguard.reports.lines import Line, lines_of, plain
from lossguard.reports.text import verdict_line

if TYPE_CHECKING:
    from lossguard.reports.report import Report

_COLOURS = {"error": "#c62828", "warning": "#b26a00", "broken": "#c62828", "suspicious": "#b26a00"}
_SOUND = "#2e7d32"
_LABEL = "font:inherit;opacity:.6;padding:0 1em 0 0;vertical-align:top;text-align:left"
_BLOCK = "font-family:ui-monospace,monospace;font-size:13px;line-height:1.5"


def render(report: Report, *, rules: str = "") -> str:
    """The whole report as one `div`.

    Notebooks have no style sheet, so every element carries its style. A page that has one gives `rules`, the address of
    the rules' pages: elements then have classes instead, codes are links, and what is worth copying is marked.
    """
    blocks = "".join(_finding(finding, rules) for finding in report.findings)
    told = f"color:{_COLOURS.get(report.verdict, _SOUND)};font-weight:bold"
    verdict = f"<div {_look(rules, f'verdict {report.verdict}', told)}>{escape(verdict_line(report))}</div>"
    style = "" if rules else f' style="{_BLOCK}"'
    return f'<div class="lossguard"{style}>{blocks}{verdict}</div>'


def render_folded(report: Report) -> str:
    """The findings as one `div`, each folded behind its headline until it is opened."""
    folded = "".join(
        f"<details><summary>{escape(finding.severity)}[{escape(finding.code)}] {escape(finding.name)}, "
        f"{escape(plain(finding.place.where if finding.place else finding.loss))}: open in full</summary>"
        f"{_finding(finding)}</details>"
        for finding in report.findings
    )
    return f'<div class="lossguard" style="{_BLOCK}">{folded}</div>'


def _finding(finding: Finding, rules: str = "") -> str:
    colour = _COLOURS[finding.severity]
    copied = _copied(finding) if rules else {}
    rows = "".join(_row(line, rules, copied.get(number, "")) for number, line in enumerate(lines_of(finding)))
    block = _look(
        rules, f"finding {finding.severity}", f"border-left:3px solid {colour};padding-left:.8em;margin:.6em 0"
    )
    mark = _look(rules, "mark", f"color:{colour};font-weight:bold")
    table = _look(rules, "lines", "border:none;margin:.2em 0;font:inherit")
    return (
        f"<div {block}>"
        f"<div><span {mark}>{escape(finding.severity)}[{escape(finding.code)}]</span> "
        f"<b>{escape(finding.name)}</b>: {escape(plain(finding.message))}</div>"
        f"<table {table}>{rows}</table></div>"
    )


def _row(line: Line, rules: str, copied: str) -> str:
    said = escape(line.text)
    if rules and line.label in {"more", "or"}:
        # The first code of such a line is ours; what follows may be words of the text.
        said = re.sub(r"LG\d{3}", lambda code: f'<a href="{escape(rules)}{code[0]}/">{code[0]}</a>', said, count=1)
    worth = f' data-copy="{escape(copied)}"' if copied else ""
    return (
        f"<tr><td {_look(rules, 'label', _LABEL)}>{escape(line.label)}</td>"
        f"<td {_look(rules, 'said', 'font:inherit;text-align:left;padding:0')}>"
        f"<code {_look(rules, 'words', 'font:inherit')}{worth}>{said}</code>{_aside(line.aside, rules)}</td></tr>"
    )


def _copied(finding: Finding) -> dict[int, str]:
    """The code that is worth copying, by the number of its line."""
    fixes = iter(finding.fixes)
    codes = {
        number: next(fixes).code if line.label == "fix" else finding.verify
        for number, line in enumerate(lines_of(finding))
        if line.label in {"fix", "verify"}
    }
    return {number: code for number, code in codes.items() if code}


def _look(rules: str, classes: str, style: str) -> str:
    return f'class="{classes}"' if rules else f'style="{style}"'


def _aside(text: str, rules: str) -> str:
    return f" <span {_look(rules, 'aside', 'opacity:.7')}>{escape(text)}</span>" if text else ""
