"""A report as HTML, for notebooks and for pages that have a style sheet; everything in it is escaped.

In a notebook it folds, and text and background are the page's own, so that they fit light and dark ones. The colours
are variables with two values each; where a converter drops their style sheet, the light ones are left in the tags.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

from lossguard.findings import Finding
from lossguard.reports.lines import Line, lines_of, plain
from lossguard.reports.text import verdict_line

if TYPE_CHECKING:
    from lossguard.reports.report import Report

_LIGHT: Final = {"error": "#c62828", "warning": "#a15c00", "sound": "#2e7d32"}
_DARK: Final = {"error": "#ff8a80", "warning": "#ffb74d", "sound": "#81c784"}
_VERDICTS: Final = {"broken": "error", "suspicious": "warning"}
#: How the pages of Jupyter, VS Code, Colab and Sphinx say that they are dark; others go by the system.
_DARK_PAGES: Final = ('[data-jp-theme-light="false"]', ".vscode-dark", 'html[theme="dark"]', '[data-theme="dark"]')
_LIGHT_PAGES: Final = ('[data-jp-theme-light="true"]', ".vscode-light", 'html[theme="light"]', '[data-theme="light"]')
_LABEL = "font:inherit;opacity:.6;padding:0 1em 0 0;vertical-align:top;text-align:left"
_BLOCK = "font-family:ui-monospace,monospace;font-size:13px;line-height:1.5"


def render(report: Report, *, rules: str = "") -> str:
    """The whole report as one `div`, whose findings can be folded.

    Notebooks have no style sheet, so every element carries its style. A page that has one gives `rules`, the address of
    the rules' pages: elements then have classes instead, codes are links, what is worth copying is marked, and nothing
    folds.
    """
    told = f"{_colour(_VERDICTS.get(report.verdict, 'sound'))};font-weight:bold"
    if rules:
        first, *advice = verdict_line(report).split("\n")
        after = "".join(f'<div class="next">{escape(line.strip())}</div>' for line in advice)
        verdict = f'<div class="verdict {report.verdict}">{escape(first)}</div>{after}'
        return f'<div class="lossguard">{"".join(_finding(each, rules) for each in report.findings)}{verdict}</div>'
    verdict = f'<div style="{told}">{escape(verdict_line(report))}</div>'
    return _block("".join(_folding(each, _headline(each), is_open=True) for each in report.findings) + verdict)


def render_folded(report: Report) -> str:
    """The findings as one `div`, each folded behind its name and place until it is opened."""
    return _block("".join(_folding(each, _name(each), is_open=False) for each in report.findings))


def _block(content: str) -> str:
    return f'<div class="lossguard" style="{_BLOCK}"><style>{_STYLE}</style>{content}</div>'


def _sheet() -> str:
    """The colours, by what the system says of itself and then by what the page says."""
    light, dark = ("".join(f"--lossguard-{kind}:{value};" for kind, value in each.items()) for each in (_LIGHT, _DARK))
    rules = [f".lossguard{{{light}}}", f"@media (prefers-color-scheme:dark){{.lossguard{{{dark}}}}}"]
    for pages, colours in ((_LIGHT_PAGES, light), (_DARK_PAGES, dark)):
        rules.append(f"{','.join(f'{page} .lossguard' for page in pages)}{{{colours}}}")
    return "".join(rules)


_STYLE: Final = _sheet()


def _colour(kind: str) -> str:
    # A converter that knows no variables keeps the first of two.
    return f"color:{_LIGHT[kind]};color:var(--lossguard-{kind},{_LIGHT[kind]})"


def _folding(finding: Finding, summary: str, *, is_open: bool) -> str:
    inner = _finding(finding, headed=not is_open)
    return f"<details{' open' * is_open}><summary>{summary}</summary>{inner}</details>"


def _name(finding: Finding) -> str:
    where = plain(finding.place.where if finding.place else finding.loss)
    return f"{escape(finding.severity)}[{escape(finding.code)}] {escape(finding.name)}, {escape(where)}: open in full"


def _headline(finding: Finding, rules: str = "") -> str:
    mark = _look(rules, "mark", f"{_colour(finding.severity)};font-weight:bold")
    return (
        f"<span {mark}>{escape(finding.severity)}[{escape(finding.code)}]</span> "
        f"<b>{escape(finding.name)}</b>: {escape(plain(finding.message))}"
    )


def _finding(finding: Finding, rules: str = "", *, headed: bool = True) -> str:
    copied = _copied(finding) if rules else {}
    rows = "".join(_row(line, rules, copied.get(number, "")) for number, line in enumerate(lines_of(finding)))
    block = _look(rules, f"finding {finding.severity}", "border-left:3px solid;padding-left:.8em;margin:.2em 0 .6em")
    table = _look(rules, "lines", "border:none;margin:.2em 0;font:inherit")
    head = f"<div>{_headline(finding, rules)}</div>" if headed else ""
    return f"<div {block}>{head}<table {table}>{rows}</table></div>"


def _row(line: Line, rules: str, copied: str) -> str:
    said = escape(line.text)
    if rules and line.label in {"more", "or"}:
        # The first code of such a line is ours; what follows may be words of the text.
        said = re.sub(r"LG\d{3}", lambda code: f'<a href="{escape(rules)}{code[0]}/">{code[0]}</a>', said, count=1)
    shown = _styled(line, said, copied) if rules else f'<code style="font:inherit">{said}</code>{_aside(line.rest)}'
    return (
        f"<tr><td {_look(rules, 'label', _LABEL)}>{escape(line.label)}</td>"
        f"<td {_look(rules, 'said', 'font:inherit;text-align:left;padding:0')}>{shown}</td></tr>"
    )


def _styled(line: Line, said: str, copied: str) -> str:
    """What a line says, for a page with a style sheet: places and code as code, sentences as sentences."""
    worth = f' data-copy="{escape(copied)}"' if copied else ""
    aside = f'<span class="aside">{escape(line.aside)}</span>' if line.aside else ""
    if line.kind == "prose":
        words = re.sub("`([^`]+)`", r"<code>\1</code>", said)
        return f'<span class="prose">{words}</span>{aside}'
    if line.code:
        return f'<span class="place">{said}</span><code class="words"{worth}>{escape(line.code)}</code>{aside}'
    return f'<code class="words"{worth}>{said}</code>{aside}'


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


def _aside(text: str) -> str:
    return f' <span style="opacity:.7">{escape(text)}</span>' if text else ""
