"""`lossguard lint`: the faults that source code shows, before anything runs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lossguard.cli.layout import help_layout
from lossguard.reports.formats import FORMATS, rendered

if TYPE_CHECKING:
    from lossguard.lint.linting import Outcome

_EPILOG = """\
examples:
  lossguard lint .                       all files below this folder, but those that git ignores
  lossguard lint train.py notebook.ipynb
  lossguard lint --fix src               apply the fixes that change no number that was right
  lossguard lint --format sarif . > lossguard.sarif
  cat train.py | lossguard lint - --stdin-filename train.py

exit codes: 0 nothing was found, 1 something was, 2 bad usage or nothing but unreadable input"""


def add_commands(commands: Any) -> None:
    """Add `lint` to the command line."""
    parser = commands.add_parser(
        "lint",
        help="find faults of losses in source code, without running it",
        description="Find faults of losses in source code. Nothing in it is imported or run; no torch is needed.",
        epilog=_EPILOG,
        formatter_class=help_layout,
    )
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="files, folders, notebooks, or - for the standard input"
    )
    parser.add_argument("--fix", action="store_true", help="apply fixes that change no number that was right")
    parser.add_argument(
        "--unsafe-fixes", action="store_true", help="with --fix, apply those that may change numbers too"
    )
    parser.add_argument(
        "--allow", action="append", default=[], metavar="RULE", help="leave a rule out, by code or name"
    )
    parser.add_argument("--unused-allows", action="store_true", help="name remarks that allow what is not there")
    parser.add_argument("--stdin-filename", default="<stdin>", metavar="NAME", help="what to call the standard input")
    parser.add_argument(
        "--jobs", type=int, default=0, metavar="N", help="processes (default: one, several for large trees)"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print (default: text)")
    parser.set_defaults(run=lint_command)


def lint_command(options: argparse.Namespace) -> int:
    """Lint, print, and say by the exit code whether anything was found."""
    from lossguard.allowing import codes_of, project_settings
    from lossguard.lint.linting import Options, lint_paths
    from lossguard.rules.registry import UnknownRule

    first = Path(options.paths[0])
    start = Path() if options.paths[0] == "-" else first if first.is_dir() else first.parent
    try:
        wanted = Options(
            fix=options.fix,
            unsafe=options.unsafe_fixes,
            unused=options.unused_allows,
            allow=codes_of(options.allow),
            jobs=options.jobs,
            stdin_name=options.stdin_filename,
            settings=project_settings(start),
        )
    except UnknownRule as error:
        print(f"lossguard: {error}", file=sys.stderr)
        return 2
    outcome = lint_paths(options.paths, wanted)
    from_stdin = options.fix and "-" in options.paths
    if not from_stdin:
        _print(outcome, options.format)
    for problem in (*outcome.problems, *outcome.unused):
        print(f"lossguard: {problem}", file=sys.stderr)
    if outcome.linted or outcome.unused:
        return 1
    return 2 if outcome.problems else 0


def _print(outcome: Outcome, form: str) -> None:
    if form == "text":
        from lossguard.reports.ruled import render

        print(render([(each.finding, each.diff) for each in outcome.linted], files=outcome.files, fixed=outcome.fixed))
    else:
        print(rendered(outcome.report(), form))
