"""What a guard costs a sound program, beside other ways to watch a loss: `python bench/guard.py [--rounds N]`.

CPU time on one thread. Each contender runs beside plain alone: in every round both take the same number of steps, who
begins changes from round to round, and the median step of the one is compared with that of the other. Shown is the
median over rounds. "plain again" is what nothing at all costs: the noise, which on a shared machine may well be more
than the guard. So what the guard adds is also timed where it is spent, in the call of the loss within the step; that
is the first row, with its share of the 10 deep looks that the first thousand steps of a program have. Exits with
1 if that is more than the guard may cost.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn
from torch.overrides import TorchFunctionMode

import lossguard

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
Step = Callable[[Loss], None]
#: The most that the guard may add to one small call of cross_entropy, in microseconds.
ALLOWED_MICROSECONDS = 8.0
#: A thousand steps have deep looks at 1, 2, 4, ..., 512.
LOOKS_IN_STEPS = 10 / 1_000
#: A small call is timed so many times at once, because the clock takes as long as it does.
CALLS_AT_ONCE = 25
PLAIN, AGAIN, GUARD = "plain", "plain again", "lossguard, in the call, 1,000 steps"
CALLS, LOOKS = "lossguard, no deep look", "lossguard, a deep look at each"


@dataclass(frozen=True)
class Work:
    """A training step, how often it is taken in a round, and what the guard may cost in it."""

    name: str
    step: Step
    times: int
    allowed: float
    #: How many calls of the loss are in it.
    calls: int = 1


@dataclass(frozen=True)
class Contender:
    """A way to watch: around the whole loop, or around the loss."""

    name: str
    around: Callable[[], AbstractContextManager[Any]]
    loss: Loss = F.cross_entropy


def perceptron() -> Step:
    """A small step, about 0.6 ms: 128 rows, two layers, Adam."""
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))
    optimizer = torch.optim.Adam(model.parameters())
    return training(model, optimizer, torch.randn(128, 64), torch.randint(10, (128,)))


def convolutions() -> Step:
    """A step of about 50 ms: 16 small images through three convolutions."""
    layers: list[nn.Module] = []
    for before, after in ((3, 32), (32, 64), (64, 64)):
        layers += [nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU()]
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    return training(model, optimizer, torch.randn(16, 3, 24, 24), torch.randint(10, (16,)))


def language() -> Step:
    """512 tokens and 8,000 words."""
    model = nn.Sequential(nn.Embedding(8000, 128), nn.Linear(128, 256), nn.GELU(), nn.Linear(256, 8000))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    return training(model, optimizer, torch.randint(8000, (512,)), torch.randint(8000, (512,)))


def training(model: nn.Module, optimizer: torch.optim.Optimizer, x: torch.Tensor, y: torch.Tensor) -> Step:
    """One step of training as everybody writes it."""

    def step(loss: Loss) -> None:
        optimizer.zero_grad()
        loss(model(x), y).backward()
        optimizer.step()

    return step


def small_call() -> Step:
    """Nothing but the loss, small: what is added to it is the cost of a call."""
    x, y = torch.randn(64, 10), torch.randint(10, (64,))

    def step(loss: Loss) -> None:
        for _ in range(CALLS_AT_ONCE):
            loss(x, y)

    return step


class NoOp(TorchFunctionMode):
    """A mode that sees every torch function and does nothing."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Go on."""
        del types
        return func(*args, **(kwargs or {}))


def naive(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The assertion that people write."""
    assert not torch.isnan(x).any() and y.min() >= 0 and y.max() < x.shape[1]  # noqa: S101, PT018 - it is the contender
    return F.cross_entropy(x, y)


def typed() -> Loss | None:
    """The loss with jaxtyping and beartype around it, if both are installed."""
    if any(importlib.util.find_spec(name) is None for name in ("jaxtyping", "beartype")):
        return None
    from beartype import beartype
    from jaxtyping import Float, Int64, jaxtyped

    def loss(x: Any, y: Any) -> Any:
        return F.cross_entropy(x, y)

    loss.__annotations__ = {"x": Float[torch.Tensor, "n c"], "y": Int64[torch.Tensor, " n"], "return": torch.Tensor}
    watched: Loss = jaxtyped(typechecker=beartype)(loss)
    return watched


@contextmanager
def anomaly() -> Iterator[None]:
    """Torch's own detection of NaN in backward."""
    with torch.autograd.set_detect_anomaly(True):
        yield


def contenders() -> list[Contender]:
    """Plain first; a guard is one guard for the whole run, as in a program."""
    calls, looks = lossguard.guard(deep="never"), lossguard.guard(deep="always")
    found = [
        Contender(PLAIN, nullcontext),
        Contender(AGAIN, nullcontext),
        Contender(CALLS, lambda: calls),
        Contender(LOOKS, lambda: looks),
        Contender("TorchFunctionMode, no-op", NoOp),
        Contender("naive assert", nullcontext, naive),
        Contender("detect_anomaly", anomaly),
    ]
    if (checked := typed()) is not None:
        found.append(Contender("jaxtyping + beartype", nullcontext, checked))
    return found


@dataclass(frozen=True)
class Reading:
    """CPU seconds of the median of a round's steps, and of the median call of the loss in them."""

    step: float
    call: float


def read(work: Work, contender: Contender) -> Reading:
    """Take a round of steps; the first one, after the guard came or went, is not counted."""
    steps: list[float] = []
    calls: list[float] = []

    def timed(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        began = time.process_time()
        result = contender.loss(x, y)
        calls.append(time.process_time() - began)
        return result

    with contender.around():
        for _ in range(work.times + 1):
            started = time.process_time()
            work.step(timed if work.calls == 1 else contender.loss)
            steps.append(time.process_time() - started)
    step = statistics.median(steps[1:]) / work.calls
    return Reading(step, statistics.median(calls[1:]) if calls else step)


def measure(work: Work, rounds: int) -> tuple[float, dict[str, float]]:
    """CPU seconds of a plain step, and for each contender how many times as many."""
    plain, *others = contenders()
    alone: list[float] = []
    ratios: dict[str, float] = {}
    added: dict[str, float] = {}
    for other in others:
        read(work, other)
        pairs: list[tuple[Reading, Reading]] = []
        for turn in range(rounds):
            if turn % 2:
                pairs.append((read(work, plain), read(work, other)))
            else:
                later = read(work, other)
                pairs.append((read(work, plain), later))
        alone.extend(before.step for before, _ in pairs)
        ratios[other.name] = statistics.median(after.step / before.step for before, after in pairs)
        added[other.name] = statistics.median(after.call - before.call for before, after in pairs)
    step = statistics.median(alone)
    spent = added[CALLS] + max(added[LOOKS] - added[CALLS], 0.0) * LOOKS_IN_STEPS
    return step, {GUARD: 1 + spent / step, **ratios}


def show(work: Work, plain: float, ratios: dict[str, float]) -> bool:
    """Print the table of one kind of work; whether the guard keeps within what it may cost."""
    print(f"\n{work.name}: {plain * 1e6:,.1f} us a step, plain")
    for name, each in ratios.items():
        print(f"  {name:<38}{each:8.3f}x {(each - 1) * plain * 1e6:+12.1f} us")
    return ratios[GUARD] <= (work.allowed or 1 + ALLOWED_MICROSECONDS * 1e-6 / plain)


def main() -> int:
    """Measure, print the tables, and say whether the guard keeps within what it may cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=32)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    torch.manual_seed(0)
    warnings.filterwarnings("ignore", "Anomaly Detection has been enabled")
    works = [
        Work("small call", small_call(), 20, 0.0, CALLS_AT_ONCE),
        Work("perceptron", perceptron(), 30, 1.03),
        Work("convolutions", convolutions(), 3, 1.01),
        Work("language", language(), 3, 1.01),
    ]
    dear = [work.name for work in works if not show(work, *measure(work, rounds))]
    print("\n" + (f"dearer than it may be: {', '.join(dear)}" if dear else "the guard keeps within what it may cost"))
    return 1 if dear else 0


if __name__ == "__main__":
    sys.exit(main())
