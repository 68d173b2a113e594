"""The long run of random calls: `python bench/fuzz.py [CALLS] [FIRST-SEED]`, 20,000 calls unless told otherwise."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from judged_calls import disagreement, torch_says
from random_calls import random_call


def main(calls: int = 20_000, first: int = 0) -> int:
    """Judge all calls; print each disagreement; return how many there are, at most 1 for the shell."""
    torch.set_num_threads(1)
    started, failing, disagreements = time.perf_counter(), 0, 0
    for seed in range(first, first + calls):
        call = random_call(seed)
        failing += torch_says(call) is not None
        complaint = disagreement(call)
        if complaint is not None:
            disagreements += 1
            print(f"seed {seed}: {complaint}\n")
    seconds = time.perf_counter() - started
    print(
        f"{calls:,} random calls in {seconds:.0f} s: torch raises or gives NaN in {failing:,}, "
        f"lossguard disagrees in {disagreements:,}"
    )
    return min(disagreements, 1)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
