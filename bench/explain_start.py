"""How long `lossguard explain` takes to start and answer, as a multiple of a bare interpreter.

    python bench/explain_start.py [runs]

Both are timed in turn, so that whatever else the machine does weighs on both alike; medians are compared. The
modules are compiled beforehand, as an installed package's are, into a folder of their own.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 4.0
LINES = (
    "RuntimeError: \"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for 'Float'",
    "IndexError: Target 5 is out of bounds.",
    "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB",
)


def _command() -> list[str]:
    """The installed command, or the module where there is none."""
    installed = Path(sys.executable).with_name("lossguard")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "lossguard"]


def _seconds(command: list[str], text: str, environment: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, input=text.encode(), capture_output=True, check=False, env=environment)  # noqa: S603 - ours
    return time.perf_counter() - started


def ratio(line: str, runs: int, environment: dict[str, str]) -> float:
    """The median start of `lossguard explain` on this line, over that of `python -c pass`."""
    bare, explained = [], []
    for _ in range(runs + 1):
        bare.append(_seconds([sys.executable, "-c", "pass"], "", environment))
        explained.append(_seconds([*_command(), "explain", "-"], line, environment))
    # The first of each compiled.
    return statistics.median(explained[1:]) / statistics.median(bare[1:])


def main() -> int:
    """Print a ratio for each line; 1 when one of them is above the limit."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        environment["PYTHONPYCACHEPREFIX"] = folder
        ratios = {line: ratio(line, runs, environment) for line in LINES}
    for line, value in ratios.items():
        print(f"{value:5.2f} times a bare interpreter: {line}")
    return 0 if max(ratios.values()) <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
