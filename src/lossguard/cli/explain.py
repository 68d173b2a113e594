"""`lossguard explain [FILE | -]`: paste the error, get the cause."""

from __future__ import annotations

import argparse
import sys

from lossguard.cli.layout import help_layout
from lossguard.reports.formats import FORMATS, rendered

_EPILOG = """\
examples:
  lossguard explain error.txt                a traceback or a log in a file
  python train.py 2>&1 | lossguard explain   the same, straight from the program
  lossguard explain                          paste it, and end with Ctrl-D

exit codes: 1 the text shows a fault, 2 nothing to read, 3 lossguard does not know it, 4 it is no fault of a loss"""
_EXIT = {"unknown": 3, "unrelated": 4}


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "explain",
        help="explain a pasted traceback or log",
        description="Say what a traceback, a log or a bare error line is about. No torch is needed, no code is run, "
        "nothing is sent anywhere.",
        epilog=_EPILOG,
        formatter_class=help_layout,
    )
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="a file, or - for the standard input")
    parser.add_argument("--no-source", action="store_true", help="do not look into the files that the text names")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print (default: text)")
    parser.set_defaults(run=explain_text)


def explain_text(options: argparse.Namespace) -> int:
    """Read, explain, print."""
    try:
        text = _decoded(_read(options.file))
    except OSError as error:
        print(f"lossguard: {options.file} cannot be read: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    if not text.strip():
        print("lossguard: there is no text to explain; give a file, or pipe or paste the error", file=sys.stderr)
        return 2
    from lossguard.explain.explaining import explain

    report = explain(text, source=not options.no_source)
    from lossguard.reports.terminal import write, write_text

    if options.format == "text":
        write(report)
    else:
        write_text(rendered(report, options.format) + "\n", sys.stdout)
    return 1 if report.findings else _EXIT[report.verdict]


def _read(file: str) -> bytes:
    if file != "-":
        with open(file, "rb") as opened:  # noqa: PTH123 - pathlib takes a tenth of the whole run to load
            return opened.read()
    if sys.stdin.isatty():
        end = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D on a line of its own"
        print(f"Paste the error, then press {end}.", file=sys.stderr)
    return sys.stdin.buffer.read()


def _decoded(data: bytes) -> str:
    """The text, whatever wrote it: PowerShell's redirection writes UTF-16."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    return data.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
