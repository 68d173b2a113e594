"""Traced programs, rewritten in ways that change nothing: `python bench/rewritten.py [REWRITING...] [--every N]`.

Each program of tests/traced_programs is rewritten in each way that applies to it and run under the guard, in two
processes. Shown is for how many of them tracing still names the line that comes from the guilty one, for how many it
names none or another one, and which runs ended without their finding; and the names of all that are not right.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import torch

from rewriting import REWRITINGS
from rewritten_runs import TRACED, Outcome, run_rewritten, usable_programs

WORDS: Final = ("right", "open", "wrong", "not found")


def outcome(task: tuple[str, str]) -> Outcome | None:
    """What became of a program, by the name of the rewriting and its own."""
    name, program = task
    torch.set_num_threads(1)
    return run_rewritten(name, TRACED / program)


def main() -> None:
    """Run everything that was asked for and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rewritings", nargs="*", metavar="REWRITING", help=f"some of {', '.join(REWRITINGS)}")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every n-th program alone")
    options = parser.parse_args()
    unknown = sorted(set(options.rewritings) - set(REWRITINGS))
    if unknown:
        parser.error(f"no rewriting is called {', '.join(unknown)}; there are {', '.join(REWRITINGS)}")
    os.environ.setdefault("LOSSGUARD_LOOK_SECONDS", "60")
    names = [program.name for program in usable_programs()][:: options.every]
    print(f"{'rewriting':<14}{'applied':>9}", *(f"{word:>9}" for word in WORDS), sep="", flush=True)
    with ProcessPoolExecutor(2) as pool:
        for rewriting in options.rewritings or REWRITINGS:
            found = pool.map(outcome, [(rewriting, name) for name in names])
            show(rewriting, {name: one for name, one in zip(names, found, strict=True) if one is not None})


def show(rewriting: str, outcomes: dict[str, Outcome]) -> None:
    """Print the row of a rewriting, and below it what is not right."""
    counts = Counter(one.word for one in outcomes.values())
    print(f"{rewriting:<14}{len(outcomes):>9}", *(f"{counts[word]:>9}" for word in WORDS), sep="")
    for name, one in outcomes.items():
        if one.word != "right":
            print(f"    {one.word}: {name}  {one.said}  (guilty: {', '.join(sorted(one.guilty))})")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
