"""A report on a terminal: the plain text, with colour where a terminal wants it. Imports rich."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, TextIO

from lossguard.reports.lines import headline, label_width, lines_of, plain
from lossguard.reports.text import render, verdict_line

if TYPE_CHECKING:
    from lossguard.reports.report import Report

_STYLES = {
    "error": "bold red",
    "warning": "bold yellow",
    "broken": "bold red",
    "suspicious": "bold yellow",
    "sound": "bold green",
    "safe": "green",
    "decision": "yellow",
    "unchecked": "yellow",
    "place": "cyan",
}


def wants_colour(stream: TextIO) -> bool:
    """Whether to write colour to `stream`: a terminal, and nobody has asked for none."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def write(report: Report, stream: TextIO | None = None) -> None:
    """Write `report`, in colour if `stream` wants it."""
    stream = sys.stdout if stream is None else stream
    if stream is None or stream.closed:
        return
    colour = wants_colour(stream)
    if not colour and not stream.isatty():
        write_text(render(report) + "\n", stream)
        return
    try:
        from rich.console import Console
    except ImportError:
        write_text(render(report) + "\n", stream)
        return
    from io import StringIO

    # Made in memory first: what the stream cannot encode is replaced as in plain text.
    made, width = StringIO(), Console(file=stream).width
    console = Console(
        file=made, width=width, force_terminal=colour, no_color=not colour, highlight=False, soft_wrap=True
    )
    for line in _coloured(report):
        # Only a terminal has an edge; what is written into a file has long lines.
        for part in _wrapped(line, console) if stream.isatty() else [line]:
            console.print(part)
    write_text(made.getvalue(), stream)


def write_text(text: str, stream: TextIO | None) -> None:
    """Write to any stream, whatever it can encode; what it cannot comes out as an escape. A closed one gets nothing."""
    if stream is None or stream.closed:
        return
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def _wrapped(line: Text, console: Console) -> list[Text]:
    """The line broken at words where the terminal ends, its rest under what it says and not under its label."""
    from rich.text import Text

    label = re.match(r"  \S* +", line.plain)
    indent = label.end() if label is not None else 2
    if len(line) <= console.width or console.width < 2 * indent:
        return [line]
    first, *_ = line.wrap(console, console.width)
    rest = line[len(first) :]
    start = len(rest) - len(rest.plain.lstrip())
    first.rstrip()
    return [first, *(Text(" " * indent) + part for part in rest[start:].wrap(console, console.width - indent))]


def _coloured(report: Report) -> list[Text]:
    from rich.text import Text

    output: list[Text] = []
    for finding in report.findings:
        first = Text(headline(finding))
        first.stylize(_STYLES[finding.severity], 0, len(f"{finding.severity}[{finding.code}]"))
        output.append(first)
        lines = lines_of(finding)
        width = max((len(line.text) for line in lines if line.aside and len(line.text) <= 28), default=0)
        labels = label_width(lines)
        for line in lines:
            shown = Text("  ").append(f"{line.label:<{labels}} ", "dim")
            shown.append(line.text.ljust(width if line.aside else 0), _STYLES.get(line.kind, ""))
            output.append(shown.append(f"    {line.aside}" if line.aside else "", "dim"))
        output.append(Text())
    for label, text in report.summary:
        output.append(Text(f"{plain(label):<10} ", "dim").append(plain(text)))
    if report.summary:
        output.append(Text())
    output.append(Text(verdict_line(report), _STYLES.get(report.verdict, "bold")))
    return output


if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text
