"""Why a line was named: `python bench/walk.py PROGRAM.py [MODULE...]` prints every step of the walks back.

The program is run under the guard up to its first finding, as tests/traced_programs are, after the modules that are
named have been imported. Each line of the output is an expression that was followed: the symptom, the line, the
expression, the part of it that counts, the kind of statement; and below it, behind an arrow, what was told of it. The
look is done in this process and not in a twin, so that a debugger stops in it.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from lossguard.tracing import locate
from lossguard.tracing.evidence.twin import Answer
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.reaching import Path as Part
from lossguard.tracing.walks.steps import Chain
from lossguard.tracing.walks.walk import Walk
from warm_runs import first_report

_WIDTH = 90


def main() -> None:
    """Run the program and print how it was walked back through."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("program", type=Path, metavar="PROGRAM.py")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="is imported first")
    options = parser.parse_args()
    for name in options.modules:
        import_module(name)
    locate.ask_twin = _ask_here  # type: ignore[attr-defined] # tracing looks it up there
    with _told(sys.stdout.write):
        report = first_report(options.program.resolve(), WORKERS="0")
    sys.stdout.write(f"\n{report}\n")


def _ask_here(work: Callable[[], Iterable[Any]], seconds: float) -> Answer[Any]:
    """Do the work of a twin in this process, and show what it raises."""
    answers, start = [None], time.monotonic()
    try:
        answers.extend(work())
    except BaseException:  # noqa: BLE001 - shown, as nothing else shows it
        traceback.print_exc()
    late = time.monotonic() - start > seconds
    return Answer(answers[-1], "a twin would have taken too long" if late else "")


@contextlib.contextmanager
def _told(write: Callable[[str], Any]) -> Iterator[None]:
    """Write down each expression that a walk follows, and what is told of it."""
    real, depth = Walk.back, 0

    def back(walk: Walk, node: ast.expr, at: Statement, path: Part = ()) -> Chain:
        nonlocal depth
        text = " ".join(ast.unparse(node).split())[:_WIDTH]
        line = getattr(node, "lineno", "?")
        write(f"{'  ' * depth}{walk.symptom.name} {line}: {text}  {path or ''} {type(at).__name__}\n")
        depth += 1
        try:
            chain = real(walk, node, at, path)
        finally:
            depth -= 1
        write(f"{'  ' * depth}-> {_lines(chain)}\n")
        return chain

    Walk.back = back  # type: ignore[assignment, method-assign] # the same but for the name of `self`
    try:
        yield
    finally:
        Walk.back = real  # type: ignore[method-assign]


def _lines(chain: Chain) -> str:
    """A chain by its lines, the culprit first."""
    if chain is None:
        return "not known"
    return ", ".join(f"{Path(step.file).name}:{step.line}" for step in chain) or "in a circle"


if __name__ == "__main__":
    main()
