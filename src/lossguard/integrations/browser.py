"""The box of the site: what a page shows of a text or a file. It runs in Pyodide, without torch."""

from __future__ import annotations

import json
from typing import Final

from lossguard.explain.explaining import explain
from lossguard.lint.files import is_worth_parsing
from lossguard.lint.linting import Options, Outcome, lint_text
from lossguard.lint.project import Project
from lossguard.reports import html, ruled, text

#: Beyond this a text is a log; no program that somebody wrote is as long.
_LONGEST_CODE: Final = 1_000_000
_UNREADABLE: Final = "\ufffd"
#: How much of a text may be letters that could not be read; a log in an old encoding has a few.
_UNREADABLE_SHARE: Final = 0.1
_PASTED: Final = "<pasted>"


def answer(data: bytes, name: str = "", rules: str = "../rules/") -> str:
    """The answer to a text as JSON: `html`, `text` and `report`, or the `problem` that keeps it from being read.

    Code is linted, all else is explained, each as the command line does it. `rules` is the address of the rules' pages.
    """
    content = decoded(data)
    if content is None:
        return json.dumps({"problem": f"{name or 'This'} is no text: it looks like a binary file."})
    if not content.strip():
        return json.dumps({"problem": f"{name or 'The box'} is empty: there is no text to explain."})
    outcome = _linted(content, name)
    if outcome is None:
        report = explain(content, source=False)
        shown = text.render(report)
    else:
        report = outcome.report()
        shown = ruled.render([(each.finding, each.diff) for each in outcome.linted], files=outcome.files)
    return json.dumps(
        {
            "window": "explain" if outcome is None else "lint",
            "html": html.render(report, rules=rules),
            "text": shown,
            "report": json.loads(report.to_json()),
        }
    )


def decoded(data: bytes) -> str | None:
    """The text in these bytes; None if there is none."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    content = data.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
    if "\0" in content or content.count(_UNREADABLE) > _UNREADABLE_SHARE * len(content):
        return None
    return content


def _linted(content: str, name: str) -> Outcome | None:
    """What linting shows, if this is code; None for all else, and for pasted code that linting finds nothing in."""
    is_file = name.endswith((".py", ".ipynb"))
    if not is_file and (len(content) > _LONGEST_CODE or not is_worth_parsing(content)):
        return None
    outcome = lint_text(name or _PASTED, content, Options(), Project())
    if is_file:
        return outcome
    return outcome if outcome.linted else None
