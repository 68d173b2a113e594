"""`lossguard`: the command line. Exit codes: 0 sound, 1 something is broken, 2 bad usage."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from lossguard import __version__
from lossguard.cli.layout import help_layout

#: The commands and their modules. Only what is asked for is loaded, so that each command starts at once.
_COMMANDS = {"run": "run", "audit": "audit", "explain": "explain", "lint": "lint", "rules": "rules", "rule": "rules"}

_DESCRIPTION = """\
lossguard finds out why a PyTorch loss fails or lies: it names the bad target, says what to change,
and fixes a target only when no label is lost."""

_EPILOG = """\
examples:
  lossguard run train.py               run a program and watch its losses
  lossguard audit train.parquet --target label --classes 10     every label of a data set
  lossguard explain error.txt          what a pasted traceback or log is about
  lossguard lint src                   find faults in source code, before anything runs
  lossguard rules                      all faults that lossguard knows, a line each
  lossguard rule LG101                 one of them: why it matters, usual causes, fixes, examples
  lossguard rule float-class-target    the same, by name

in Python:
  import lossguard
  print(lossguard.check(F.cross_entropy, logits, target))     judge one call
  target = lossguard.fix(F.cross_entropy, logits, target)    fix it, if nothing is lost

exit codes: 0 sound, 1 something is broken, 2 bad usage or unreadable input"""


def build_parser(command: str = "") -> argparse.ArgumentParser:
    """The parser with one command, or with all of them if there is none of that name."""
    parser = argparse.ArgumentParser(
        prog="lossguard",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=help_layout,
    )
    parser.add_argument("--version", action="version", version=f"lossguard {__version__}")
    # With its name given, argparse need not lay out a usage text for it.
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog="lossguard")
    modules = [_COMMANDS[command]] if command in _COMMANDS else dict.fromkeys(_COMMANDS.values())
    for module in modules:
        import_module(f"lossguard.cli.{module}").add_commands(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    parser = build_parser(arguments[0] if arguments else "")
    options = parser.parse_args(arguments)
    if not hasattr(options, "run"):
        parser.print_help()
        return 0
    try:
        code: int = options.run(options)
        if sys.stdout is not None and not sys.stdout.closed:
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader, `head` for one, has seen enough.
        sys.stderr.close()
        return 0
    return code
