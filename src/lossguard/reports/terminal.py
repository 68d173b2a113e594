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
    if not wants_colour(stream) and not stream.isatty():
        write_text(render(report) + "\n", stream)
        return
    made = _drawn(_coloured, report, stream)
    write_text(render(report) + "\n" if made is None else made, stream)


def fitted(report: Report, stream: TextIO | None) -> str | None:
    """The findings alone, as a terminal gets them, without the end of the last line; None where `stream` is none."""
    if stream is None or stream.closed or not stream.isatty():
        return None
    made = _drawn(_findings, report, stream)
    return None if made is None else made.rstrip("\n")


def _drawn(lines_of_report: Callable[[Report], list[Text]], report: Report, stream: TextIO) -> str | None:
    """The report's lines as the stream shows them, broken at its edge if it has one; None where there is no rich."""
    try:
        from rich.console import Console
    except ImportError:
        return None
    from io import StringIO

    # Made in memory first: what the stream cannot encode is replaced as in plain text.
    made, width, colour = StringIO(), Console(file=stream).width, wants_colour(stream)
    console = Console(
        file=made, width=width, force_terminal=colour, no_color=not colour, highlight=False, soft_wrap=True
    )
    for line in lines_of_report(report):
        # Only a terminal has an edge; what is written into a file has long lines.
        for part in _wrapped(line, console) if stream.isatty() else [line]:
            console.print(part)
    return made.getvalue()


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

    output = _findings(report)
    for label, text in report.summary:
        output.append(Text(f"{plain(label):<10} ", "dim").append(plain(text)))
    if report.summary:
        output.append(Text())
    output.append(Text(verdict_line(report), _STYLES.get(report.verdict, "bold")))
    return output


def _findings(report: Report) -> list[Text]:
    from rich.text import Text

    output: list[Text] = []
    for finding in report.findings:
        first = Text(headline(finding))
        first.stylize(_STYLES[finding.severity], 0, len(f"{finding.severity}[{finding.code}]"))
        output.append(first)
        lines = lines_of(finding)
        width = max((len(line.text) for line in lines if line.rest and len(line.text) <= 28), default=0)
        labels = label_width(lines)
        for line in lines:
            shown = Text("  ").append(f"{line.label:<{labels}} ", "dim")
            shown.append(line.text.ljust(width if line.rest else 0), _STYLES.get(line.kind, ""))
            if line.rest:
                code, said = line.rest[: len(line.code)], line.rest[len(line.code) :]
                shown.append(f"    {code}").append(said, "dim")
            output.append(shown)
        output.append(Text())
    return output


if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console
    from rich.text import Text
