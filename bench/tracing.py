"""What watching loaders costs for each batch, and how long a look back takes.

python bench/tracing.py
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch.utils.data import DataLoader, Dataset, TensorDataset

import lossguard
from lossguard.tracing.loaders import LoaderWatch, _watched_index, _watched_next
from lossguard.tracing.locate import locate


class Divided(Dataset[Any]):
    """Labels that a division made floating."""

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> tuple[torch.Tensor, float]:
        return torch.ones(3), (index % 5) / 1


def per_batch(loader: DataLoader[Any]) -> float:
    """Microseconds for each batch of one pass."""
    count, start = 0, time.perf_counter()
    for _ in loader:
        count += 1
    return (time.perf_counter() - start) / count * 1e6


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
        self._num_yielded = 1
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


def main() -> None:
    """Print the figures."""
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
    look_back()
    print(f"a look back                         {look_back():8.1f} ms")


if __name__ == "__main__":
    main()
