"""What a terminal shows, as HTML: lines are broken at the edge of any screen, their rest under what they say."""

from __future__ import annotations

import re
from html import escape
from typing import Final

_LABELLED: Final = re.compile(r"(  \S* {2,}|  \S{8,} )(?=\S)")
_MARK: Final = re.compile(r"(.*?)\b(error|warning)(\[LG\d{3}\])")
_VERDICTS: Final = {"broken": "error", "suspicious": "warning", "sound": "sound"}


def terminal(command: str, output: str) -> str:
    """A command and what it prints, as one element that Markdown leaves alone."""
    lines = "".join(map(_line, output.split("\n")))
    return f'<div class="terminal"><div class="command">$ {escape(command)}</div>{lines}</div>'


def _line(line: str) -> str:
    if not line.strip():
        return '<div class="line">&nbsp;</div>'
    if marked := _MARK.match(line):
        rest = line[marked.end() :]
        mark = f'<span class="mark {marked[2]}">{marked[2]}{marked[3]}</span>'
        return f'<div class="line">{escape(marked[1])}{mark}{escape(rest)}</div>'
    if labelled := _LABELLED.match(line):
        label, said = labelled[0], line[labelled.end() :]
        return f'<div class="line labelled"><span class="label">{escape(label)}</span>{escape(said)}</div>'
    verdict = _VERDICTS.get(line.partition(":")[0], "")
    return f'<div class="line{" verdict " + verdict if verdict else ""}">{escape(line)}</div>'
