"""What tracing costs while nothing is wrong, and how long a look back takes: `python bench/tracing.py`.

Watching a loader is measured by the batch; a guard that can trace, beside one that cannot, in a sound program. CPU
time on one thread; what is compared is run side by side in each round, in an order that rotates, and shown are
medians over rounds. "again" is the same guard a second time: the noise. Exits with 1 if a batch costs too much.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

import lossguard
from lossguard.tracing.batches.loaders import LoaderWatch, _watched_index, _watched_next
from lossguard.tracing.locate import locate


class Divided(Dataset[Any]):
    """Labels that a division made floating."""

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> tuple[torch.Tensor, float]:
        return torch.ones(3), (index % 5) / 1


#: The most that the watch may add to a batch, in microseconds.
ALLOWED_MICROSECONDS = 1.0


def per_batch(loader: DataLoader[Any]) -> float:
    """Microseconds for each batch of one pass; of CPU where there are no other processes to wait for."""
    clock = time.perf_counter if loader.num_workers else time.process_time
    count, start = 0, clock()
    for _ in loader:
        count += 1
    return (clock() - start) / count * 1e6


def cost(loader: DataLoader[Any], rounds: int) -> tuple[float, float]:
    """Microseconds for each batch without a watch, and what a watch adds: medians of paired rounds."""
    watch = LoaderWatch()
    plain, added = [], []
    for _ in range(rounds):
        without = per_batch(loader)
        watch.install()
        plain.append(without)
        added.append(per_batch(loader) - without)
        watch.remove()
    return statistics.median(plain), statistics.median(added)


class _Iterator:
    """As much of torch's iterator as the wrappers touch."""

    def __init__(self, *, workers: bool) -> None:
        self._num_yielded = 0
        if workers:
            self._task_info: dict[int, Any] = {}
            self._send_idx = self._rcvd_idx = 1
            self._in_order = True


def wrappers_alone(*, workers: bool) -> float:
    """Microseconds that the two wrappers add to a batch, without a loader around: the least of many rounds."""
    iterator = _Iterator(workers=workers)
    plain: Any = lambda _: None  # noqa: E731 - stands for what torch does
    index, batch = _watched_index(plain), _watched_next(plain)
    rounds, times, empty = 20_000, [], []
    for _ in range(30):
        start = time.perf_counter()
        for _ in range(rounds):
            index(iterator)
            batch(iterator)
        middle = time.perf_counter()
        for _ in range(rounds):
            plain(iterator)
            plain(iterator)
        times.append(middle - start)
        empty.append(time.perf_counter() - middle)
    return (min(times) - min(empty)) / rounds * 1e6


def training() -> Callable[[], int]:
    """One pass of a small model over a loader, as everybody writes it; how many batches it had."""
    data = TensorDataset(torch.randn(2048, 64), torch.randint(10, (2048,)))
    loader = DataLoader(data, batch_size=64, shuffle=True)
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))
    optimizer = torch.optim.Adam(model.parameters())

    def epoch() -> int:
        for inputs, labels in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(inputs), labels).backward()
            optimizer.step()
        return len(loader)

    return epoch


def program(rounds: int) -> dict[str, tuple[float, float]]:
    """Microseconds of a step under each guard, and its ratio to that of the guard that cannot trace."""
    epoch = training()
    guards = {name: lossguard.guard(deep="never") for name in ("cannot trace", "cannot trace, again", "can trace")}
    for name, guard in guards.items():
        if not name.startswith("can trace"):
            guard._watch = None  # noqa: SLF001 - no user wants that
    names = list(guards)
    taken: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(rounds + 1):
        start = turn % len(names)
        for name in names[start:] + names[:start]:
            with guards[name]:
                started = time.process_time()
                batches = epoch()
                spent = (time.process_time() - started) / batches * 1e6
            if turn:
                taken[name].append(spent)
    base = taken["cannot trace"]
    return {
        name: (
            statistics.median(each),
            statistics.median(one / other for one, other in zip(each, base, strict=True)),
        )
        for name, each in taken.items()
    }


def look_back() -> float:
    """Milliseconds from a report to its lines."""
    with LoaderWatch():
        for features, labels in DataLoader(Divided(), batch_size=64):
            scores = features @ torch.ones(3, 5)
            report = lossguard.check(F.cross_entropy, scores, labels)
            start = time.perf_counter()
            found = locate(report, {"input": scores, "target": labels}, sys._getframe())  # noqa: SLF001 - as a guard does
            spent = time.perf_counter() - start
            if not found.findings[0].origin:
                raise AssertionError("the line was not found")
            return spent * 1e3
    raise AssertionError("no batch")


def main() -> int:
    """Print the figures, and say whether the watch keeps within what it may cost."""
    torch.set_num_threads(1)
    for workers in (False, True):
        kind = "with" if workers else "without"
        print(f"the wrappers alone, {kind + ' workers':<16}{wrappers_alone(workers=workers):8.2f} us a batch")
    numbers = TensorDataset(torch.arange(20_000))
    rows = {
        "one sample at a time, no workers": cost(DataLoader(numbers, batch_size=None), 15),
        "batches of 1, no workers": cost(DataLoader(numbers, batch_size=1), 15),
        "batches of 8, 2 workers": cost(DataLoader(numbers, batch_size=8, num_workers=2), 5),
    }
    for name, (plain, added) in rows.items():
        print(f"{name:<36}{plain:8.1f} us a batch, a watch adds {added:6.2f} us")
    for name, (spent, ratio) in program(60).items():
        print(f"a guard that {name:<23}{spent:8.1f} us a step, {ratio:.4f} of the first")
    look_back()
    print(f"a look back                         {look_back():8.1f} ms")
    dear = max(added for name, (_, added) in rows.items() if "no workers" in name) > ALLOWED_MICROSECONDS
    print("dearer than it may be" if dear else "the watch keeps within what it may cost")
    return 1 if dear else 0


if __name__ == "__main__":
    sys.exit(main())
