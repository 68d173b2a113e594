"""What a check costs, as a share of the loss it checks: `python bench/bench.py [--rounds N]`.

CPU time on one thread, medians of interleaved rounds, so that a busy machine disturbs both sides alike.
Exits with 1 if the light check costs more than it may.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

import lossguard

LABELS, CLASSES = 32_768, 1_000
#: What the light check of a sound int64 target may cost, as a share of forward and backward.
ALLOWED = 0.005


@dataclass(frozen=True)
class Candidate:
    """Something whose cost is measured."""

    name: str
    run: Callable[[], object]
    #: How often it is run in a round; the cheap ones more often, to be above the clock's grain.
    times: int = 1

    def seconds(self) -> float:
        """CPU seconds of one run."""
        started = time.process_time()
        for _ in range(self.times):
            self.run()
        return (time.process_time() - started) / self.times


def candidates() -> list[Candidate]:
    """The loss itself, then the checks of it."""
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(LABELS, CLASSES, generator=generator, requires_grad=True)
    target = torch.randint(CLASSES, (LABELS,), generator=generator)

    def train() -> None:
        logits.grad = None
        F.cross_entropy(logits, target).backward()

    return [
        Candidate("cross_entropy, forward and backward", train),
        Candidate("check(deep=False), int64", lambda: lossguard.check(F.cross_entropy, logits, target, deep=False), 50),
        Candidate(
            "check(deep=False), float32",
            lambda: lossguard.check(F.cross_entropy, logits, target.float(), deep=False),
            10,
        ),
        Candidate("fix, float32 to int64", lambda: lossguard.fix(F.cross_entropy, logits, target.float()), 10),
        Candidate("check, with the deep look", lambda: lossguard.check(F.cross_entropy, logits, target)),
    ]


def measure(rounds: int) -> dict[str, float]:
    """The median CPU seconds of each candidate, all of them in every round."""
    torch.set_num_threads(1)
    contenders = candidates()
    for contender in contenders:
        contender.run()
    times: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for _ in range(rounds):
        for contender in contenders:
            times[contender.name].append(contender.seconds())
    return {name: statistics.median(each) for name, each in times.items()}


def main() -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=9, help="rounds to take the median of (default: 9)")
    rounds = parser.parse_args().rounds
    medians = measure(rounds)
    (loss, whole), (light, share), *_ = medians.items()
    print(f"{LABELS:,} labels, {CLASSES:,} classes; CPU time, 1 thread, medians of {rounds} interleaved rounds\n")
    print(f"{'':<38}{'milliseconds':>14}{'of the loss':>14}")
    for name, seconds in medians.items():
        print(f"{name:<38}{seconds * 1e3:>14.3f}{seconds / whole:>13.3%}")
    passed = share / whole < ALLOWED
    kept = "kept" if passed else "BROKEN"
    print(f"\n{light}: {share / whole:.3%} of {loss}; at most {ALLOWED:.1%} is allowed: {kept}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
