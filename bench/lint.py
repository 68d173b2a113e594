"""What linting costs, side by side with ruff and torchfix over the same tree: `python bench/lint.py FOLDER`.

Each tool runs in a process of its own. Seconds are those of the processor, with all child processes, so that a busy
machine weighs on none of them. Modules are compiled beforehand, as an installed package's are. torchfix and ruff are
looked for beside this Python and then in PATH, and left out where they are not installed.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 900
STARTS = 7


def _seconds(command: list[str], environment: dict[str, str]) -> float:
    """The processor's seconds that a command takes, with its children; infinite if it takes too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        subprocess.run(command, capture_output=True, check=False, env=environment, timeout=LIMIT)  # noqa: S603 - ours
    except subprocess.TimeoutExpired:
        return float("inf")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _tools(tree: str) -> dict[str, list[str]]:
    found = {"lossguard": [sys.executable, "-m", "lossguard", "lint", tree]}
    others = {"ruff": ["ruff", "check", "--no-cache", "--select", "ALL", tree], "torchfix": ["torchfix", tree]}
    for name, command in others.items():
        path = shutil.which(command[0], path=str(Path(sys.executable).parent)) or shutil.which(command[0])
        if path is not None:
            found[name] = [path, *command[1:]]
    return found


def main() -> None:
    """Print a line for each tool, and the cold start beside that of Python itself."""
    tree = sys.argv[1] if len(sys.argv) > 1 else "tests/linted"
    files = sum(1 for _ in Path(tree).rglob("*.py"))
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        one = [sys.executable, "-m", "lossguard", "lint", "tests/linted/programs/float_of_column.py"]
        _seconds(one, environment)
        bare = min(_seconds([sys.executable, "-c", "pass"], environment) for _ in range(STARTS))
        cold = min(_seconds(one, environment) for _ in range(STARTS))
        print(f"cold start   python {bare:.3f} s   lossguard lint of one file {cold:.3f} s   ratio {cold / bare:.1f}")
        taken = {name: _seconds(command, environment) for name, command in _tools(tree).items()}
    for name, seconds in taken.items():
        ratio = seconds / taken["lossguard"]
        each = 1000 * seconds / max(files, 1)
        print(f"{name:<12} {seconds:8.2f} s   {each:8.2f} ms a file   {ratio:6.2f} times   {files:,} files")


if __name__ == "__main__":
    main()
