"""A target that was cut, permuted, joined or picked from the batch gets the right index, or none."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, Dataset

import lossguard
from lossguard.tracing.batches.loaders import LoaderWatch
from lossguard.tracing.locate import locate

CLASSES = 4


@pytest.fixture(autouse=True)
def watch() -> Iterator[None]:
    """Every test is watched."""
    with LoaderWatch():
        yield


class Labelled(Dataset[Any]):
    """Labels of which many are out of range and many are alike; with each comes the number of the sample."""

    def __init__(self, draw: random.Random, width: int = 0, largest: int = 7) -> None:
        self.labels = torch.tensor([[draw.randint(0, largest) for _ in range(width or 1)] for _ in range(40)])
        self.width = width

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        label = self.labels[index] if self.width else self.labels[index, 0]
        return torch.ones(3), label, torch.full_like(label, index)


class Tally:
    """Counts how many indices were given, and holds each against the truth."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def loss(self, _: Any, target: torch.Tensor, truth: torch.Tensor) -> None:
        """Stands where a program calls the loss."""
        scores = torch.zeros(target.shape[0], CLASSES, *target.shape[1:])
        report = lossguard.check("cross_entropy", scores, target)
        found = locate(report, {"input": scores, "target": target}, sys._getframe(1), replay=False)
        for finding in found.findings:
            for sample in finding.samples:
                assert sample.position is not None
                assert sample.index in {None, int(truth[sample.position])}, (sample, truth)
                self.counts["none" if sample.index is None else "given"] += 1


Step = Callable[[DataLoader[Any], Tally], None]


def half(loader: DataLoader[Any], tally: Tally) -> None:
    """The first half."""
    for x, y, ids in loader:
        n = len(y) // 2 + 1
        y = y[:n]  # noqa: PLW2901 - as programs do
        tally.loss(x, y, ids[:n])


def second_half_as_float(loader: DataLoader[Any], tally: Tally) -> None:
    """The second half, cast."""
    for x, y, ids in loader:
        n = len(y) // 2
        target = y[n:].float()
        tally.loss(x, target, ids[n:])


def permuted(loader: DataLoader[Any], tally: Tally) -> None:
    """A permutation that is still alive."""
    for x, y, ids in loader:
        perm = torch.randperm(len(y))
        x, y, ids = x[perm], y[perm], ids[perm]  # noqa: PLW2901 - as programs do
        tally.loss(x, y, ids)


def masked(loader: DataLoader[Any], tally: Tally) -> None:
    """A mask."""
    for x, y, ids in loader:
        mask = torch.rand(len(y)) < 0.7
        mask[0] = True
        y = y[mask]  # noqa: PLW2901 - as programs do
        tally.loss(x, y, ids[mask])


def doubled(loader: DataLoader[Any], tally: Tally) -> None:
    """Twice the same, one behind the other."""
    for x, y, ids in loader:
        tally.loss(x, torch.cat([y, y]), torch.cat([ids, ids]))


def repeated(loader: DataLoader[Any], tally: Tally) -> None:
    """Each label twice."""
    for x, y, ids in loader:
        both = y.repeat_interleave(2)
        tally.loss(x, both, ids.repeat_interleave(2))


def repeated_whole(loader: DataLoader[Any], tally: Tally) -> None:
    """The whole twice."""
    for x, y, ids in loader:
        y = y.repeat(2)  # noqa: PLW2901 - as programs do
        tally.loss(x, y, ids.repeat(2))


def every_other(loader: DataLoader[Any], tally: Tally) -> None:
    """Every other label."""
    for x, y, ids in loader:
        tally.loss(x, y[::2], ids[::2])


def turned_around(loader: DataLoader[Any], tally: Tally) -> None:
    """The last first."""
    for x, y, ids in loader:
        y = torch.flip(y, [0])  # noqa: PLW2901 - as programs do
        tally.loss(x, y, ids.flip(0))


def chunks(loader: DataLoader[Any], tally: Tally) -> None:
    """Micro-batches of gradient accumulation."""
    for x, y, ids in loader:
        for part, target, numbers in zip(x.chunk(2), y.chunk(2), ids.chunk(2), strict=True):
            tally.loss(part, target, numbers)


def shared_out(loader: DataLoader[Any], tally: Tally) -> None:
    """A part of the split, by its number."""
    for x, y, ids in loader:
        parts = y.split(3)
        last = parts[-1].clone()
        tally.loss(x, last, ids.split(3)[-1])


def by_a_function(loader: DataLoader[Any], tally: Tally) -> None:
    """The cut is made in a function."""

    def head(labels: torch.Tensor, count: int) -> torch.Tensor:
        return labels[:count].clone()

    for x, y, ids in loader:
        target = head(y, 3)
        tally.loss(x, target, ids[:3])


def flattened(loader: DataLoader[Any], tally: Tally) -> None:
    """All tokens in one row."""
    for x, y, ids in loader:
        tally.loss(x, y.flatten(), ids.flatten())


def viewed(loader: DataLoader[Any], tally: Tally) -> None:
    """All tokens in one row, by a view."""
    for x, y, ids in loader:
        tally.loss(x, y.view(-1), ids.view(-1))


def shifted(loader: DataLoader[Any], tally: Tally) -> None:
    """The next token is the target, as in language models."""
    for x, y, ids in loader:
        targets = y[:, 1:]
        tally.loss(x, targets.reshape(-1), ids[:, 1:].reshape(-1))


def shifted_contiguous(loader: DataLoader[Any], tally: Tally) -> None:
    """As above, by way of a copy."""
    for x, y, ids in loader:
        labels = y[..., 1:].contiguous()
        tally.loss(x, labels.view(-1), ids[..., 1:].contiguous().view(-1))


def transposed(loader: DataLoader[Any], tally: Tally) -> None:
    """Time comes first."""
    for x, y, ids in loader:
        y = y.t()  # noqa: PLW2901 - as programs do
        tally.loss(x, y, ids.t())


def transposed_copy(loader: DataLoader[Any], tally: Tally) -> None:
    """Time comes first, in memory too."""
    for x, y, ids in loader:
        y = y.transpose(0, 1).contiguous()  # noqa: PLW2901 - as programs do
        tally.loss(x, y, ids.t())


def rows_permuted(loader: DataLoader[Any], tally: Tally) -> None:
    """Rows of tokens in another order."""
    for x, y, ids in loader:
        order = torch.randperm(y.size(0))
        y = torch.index_select(y, 0, order)  # noqa: PLW2901 - as programs do
        tally.loss(x, y, ids[order])


def permuted_at_once(loader: DataLoader[Any], tally: Tally) -> None:
    """The permutation is gone: only what is there once can be told."""
    for x, y, ids in loader:
        torch.manual_seed(5)
        target = y[torch.randperm(len(y))]
        torch.manual_seed(5)
        tally.loss(x, target, ids[torch.randperm(len(y))])


def of_unknown_origin(loader: DataLoader[Any], tally: Tally) -> None:
    """Sorted: not followed, and not to be mistaken for the batch."""
    for x, y, ids in loader:
        target, order = y.sort(stable=True)
        tally.loss(x, target, ids[order])


FLAT = [
    half,
    second_half_as_float,
    permuted,
    masked,
    doubled,
    repeated,
    repeated_whole,
    every_other,
    turned_around,
    chunks,
    shared_out,
    by_a_function,
]
TOKENS = [flattened, viewed, shifted, shifted_contiguous, transposed, transposed_copy, rows_permuted]


@pytest.mark.parametrize("step", FLAT, ids=lambda step: step.__name__)
@pytest.mark.parametrize("seed", range(2))
def test_every_index_of_moved_labels_is_right(step: Step, seed: int) -> None:
    counts = _tallied(step, seed, 0)
    assert counts["given"] > 3
    assert not counts["none"]


@pytest.mark.parametrize("step", TOKENS, ids=lambda step: step.__name__)
@pytest.mark.parametrize("seed", range(2))
def test_every_index_of_moved_tokens_is_right(step: Step, seed: int) -> None:
    counts = _tallied(step, seed, 5)
    assert counts["given"] > 3
    assert not counts["none"]


def test_what_is_there_once_is_found_without_its_order() -> None:
    assert _tallied(permuted_at_once, 1, 0, largest=60)["given"] > 3
    assert _tallied(permuted_at_once, 1, 5)["given"] > 3
    assert (
        not _tallied(permuted_at_once, 1, 0, largest=4)["given"] or _tallied(permuted_at_once, 1, 0, largest=4)["none"]
    )


def test_what_is_not_followed_gets_no_wrong_index() -> None:
    for seed in range(4):
        _tallied(of_unknown_origin, seed, 0, largest=60)


def _tallied(step: Step, seed: int, width: int, largest: int = 7) -> Counter[str]:
    draw = random.Random(seed)
    torch.manual_seed(seed)
    tally = Tally()
    step(DataLoader(Labelled(draw, width, largest), batch_size=draw.randint(4, 9), shuffle=True), tally)
    return tally.counts


def by_length(samples: list[Any]) -> tuple[torch.Tensor, ...]:
    """Puts the samples in another order, as programs do that pack sequences."""
    samples = sorted(samples, key=lambda sample: -int(sample[1]))
    return tuple(torch.stack(part) for part in zip(*samples, strict=True))


def time_first(samples: list[Any]) -> tuple[torch.Tensor, ...]:
    """Stacks along the second axis."""
    return tuple(torch.stack(part, dim=-1) for part in zip(*samples, strict=True))


@pytest.mark.parametrize(("collate", "width"), [(by_length, 0), (time_first, 6)])
def test_a_collate_function_with_an_order_of_its_own_gets_no_wrong_index(collate: Any, width: int) -> None:
    tally = Tally()
    for x, y, ids in DataLoader(Labelled(random.Random(2), width), batch_size=6, collate_fn=collate):
        tally.loss(x, y, ids)
    assert tally.counts["none"] > 3
