"""How long `lossguard explain` takes to start and answer, as a multiple of a bare interpreter.

    python bench/explain_start.py [runs]

Both are timed in turn, so that whatever else the machine does weighs on both alike; medians are compared.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

LIMIT = 4.0
LINES = (
    "RuntimeError: \"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for 'Float'",
    "IndexError: Target 5 is out of bounds.",
    "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB",
)


def _seconds(command: list[str], text: str) -> float:
    started = time.perf_counter()
    subprocess.run(command, input=text.encode(), capture_output=True, check=False)  # noqa: S603 - this interpreter
    return time.perf_counter() - started


def ratio(line: str, runs: int) -> float:
    """The median start of `lossguard explain` on this line, over that of `python -c pass`."""
    bare, explained = [], []
    for _ in range(runs):
        bare.append(_seconds([sys.executable, "-c", "pass"], ""))
        explained.append(_seconds([sys.executable, "-m", "lossguard", "explain", "-"], line))
    return statistics.median(explained) / statistics.median(bare)


def main() -> int:
    """Print a ratio for each line; 1 when one of them is above the limit."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    ratios = {line: ratio(line, runs) for line in LINES}
    for line, value in ratios.items():
        print(f"{value:5.2f} times a bare interpreter: {line}")
    return 0 if max(ratios.values()) <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
