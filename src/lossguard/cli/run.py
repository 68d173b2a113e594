"""`lossguard run SCRIPT`: any training program, unmodified, watched."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from lossguard.reports.formats import FORMATS

_DESCRIPTION = """\
Run a program as `python` would, with every torch loss in it watched. The program's output, its exit code
and its exceptions stay what they are; an exception of a loss carries the diagnosis, and what torch accepts in
silence is said on stderr."""

_EPILOG = """\
examples:
  lossguard run train.py --epochs 3        the program's own arguments come after its name
  lossguard run -m package.train           a module, as with python -m
  lossguard run --fix train.py            fix what is lossless, and go on
  lossguard run --report found.json train.py
  lossguard run --format sarif --report found.sarif train.py
  torchrun --nproc-per-node 2 -m lossguard run train.py

After a fault the line it came from is looked for in a copy of the process, for eight seconds at most. There
dataset[index] and the collate function run again. The copy may only read: what Python code in it wants to write,
remove, send or start is refused, and on Linux 5.13 and later also what C code wants to write. On older systems
C code (HDF5, a database) could still write there: --no-replay keeps it from running.

exit code: the program's own, 1 after an exception, a signal if one ended it; with --strict, 1 if the program
ended with 0 and anything was found; 2 if there is no such program, or no folder for the report"""


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `run` to the parser."""
    parser = commands.add_parser(
        "run",
        help="run a training program and watch its losses",
        usage="lossguard run [--fix] [--strict] [--deep] [--no-replay] [--record auto|off|always] [--allow RULES]"
        "\n                     [--report FILE] [--format text|json|github|sarif|junit] [-m] SCRIPT ...",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--fix", action="store_true", help="fix what is lossless, say so once, and go on")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if anything was found")
    parser.add_argument("--deep", action="store_true", help="look at the input's values at every call")
    parser.add_argument(
        "--no-replay",
        dest="replay",
        action="store_const",
        const=False,
        help="after a fault, do not ask the dataset for the sample again",
    )
    parser.add_argument(
        "--record",
        choices=("auto", "off", "always"),
        default="auto",
        help="how long to record the program's own lines, for the line that a fault came from",
    )
    parser.add_argument("--allow", metavar="RULES", default="", help="codes or names that may be, with commas")
    parser.add_argument(
        "--report", metavar="FILE", type=Path, help="write what was found, as JSON unless it is sarif or junit"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to say what was found")
    parser.add_argument("-m", dest="module", action="store_true", help="SCRIPT is a module's name")
    # Two arguments would lose a "--" between them, which is the program's own.
    parser.add_argument(
        "program", metavar="SCRIPT", nargs=argparse.PARSER, help="the program, - is stdin; then its own arguments"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the program and return its exit code."""
    from lossguard.allowing import allowed_by_project, codes_of
    from lossguard.guard.run.program import CannotRun, Program
    from lossguard.guard.run.running import Run
    from lossguard.rules.registry import UnknownRule

    name, *arguments = options.program[1:] if options.program[:1] == ["--"] else options.program
    program = Program(name, tuple(arguments), options.module)
    try:
        _check_writable(options.report)
        allow = codes_of(filter(None, map(str.strip, options.allow.split(",")))) | allowed_by_project()
        return Run(
            program,
            fix=options.fix,
            strict=options.strict,
            deep=options.deep,
            record=options.record,
            replay=options.replay,
            allow=allow,
            file=None if options.report is None else options.report.absolute(),
            form=options.format,
        ).execute()
    except (CannotRun, UnknownRule, _CannotWrite) as error:
        print(f"lossguard: {error}", file=sys.stderr)
        return 2


class _CannotWrite(Exception):
    """The report has no place to go to."""


def _check_writable(file: Path | None) -> None:
    """Say before a long run, and not after it, that its report could not be written."""
    if file is None:
        return
    if file.is_dir():
        raise _CannotWrite(f"can't write {str(file)!r}: it is a directory")
    if not file.absolute().parent.is_dir():
        raise _CannotWrite(f"can't write {str(file)!r}: there is no directory {str(file.parent)!r}")
