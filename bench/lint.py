"""What linting costs, side by side with ruff and torchfix over the same tree: `python bench/lint.py FOLDER`.

Each tool runs in a process of its own. torchfix and ruff are left out where they are not installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path


def _seconds(command: list[str], runs: int = 1) -> float:
    """The shortest of some runs: a busy machine makes the others longer."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - our own tools
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    """Print a line for each tool, and the cold start beside that of Python itself."""
    tree = sys.argv[1] if len(sys.argv) > 1 else "tests/linted"
    files = sum(1 for _ in Path(tree).rglob("*.py"))
    bare = _seconds([sys.executable, "-c", "pass"], 5)
    cold = _seconds([sys.executable, "-m", "lossguard", "lint", __file__], 5)
    print(f"cold start   python {bare:.3f} s   lossguard lint of one file {cold:.3f} s   ratio {cold / bare:.1f}")
    tools = {"lossguard": [sys.executable, "-m", "lossguard", "lint", tree]}
    for name, command in {"ruff": ["ruff", "check", "--select", "ALL", tree], "torchfix": ["torchfix", tree]}.items():
        if (found := shutil.which(command[0], path=f"{Path(sys.executable).parent}")) is not None:
            tools[name] = [found, *command[1:]]
    for name, command in tools.items():
        taken = _seconds(command)
        print(f"{name:<12} {taken:8.2f} s   {1000 * taken / max(files, 1):7.2f} ms a file   {files:,} files")


if __name__ == "__main__":
    main()
