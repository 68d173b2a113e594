"""A loader that is ahead of its program: the sample is of the batch in use, not of the one fetched last."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, Subset

import lossguard
from lossguard.tracing.batches.loaders import LoaderWatch
from lossguard.tracing.locate import locate


class Labelled(Dataset[Any]):
    """Labels of 50 classes, and with each the number of the sample."""

    def __init__(self, length: int) -> None:
        draw = random.Random(length)
        self.labels = [draw.randint(0, 49) for _ in range(length)]
        self.asked = 0

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> dict[str, Any]:
        self.asked += 1
        return {"features": torch.full((3,), float(index)), "label": self.labels[index], "number": index}


def ahead(loader: Iterable[Any], by: int) -> Iterator[Any]:
    """The batches of `loader`, each handed out when `by` more have been fetched."""
    waiting: list[Any] = []
    for batch in loader:
        waiting.append(batch)
        if len(waiting) > by:
            yield waiting.pop(0)
    yield from waiting


def found_samples(labels: torch.Tensor, *, replay: bool = True) -> list[Any]:
    """The samples of the finding about labels above 24."""
    scores = torch.zeros(len(labels), 25)
    report = lossguard.check("cross_entropy", scores, labels)
    found = locate(report, {"input": scores, "target": labels}, sys._getframe(1), replay=replay)
    return [sample for finding in found.findings for sample in finding.samples]


@pytest.mark.parametrize("seed", range(12))
def test_the_index_is_that_of_the_batch_in_use(seed: int) -> None:
    draw = random.Random(seed)
    data: Any = Labelled(draw.randint(20, 60))
    if draw.random() < 0.3:
        data = Subset(data, draw.sample(range(len(data)), 18))
    size, workers = draw.choice([2, 3, 5, 8]), draw.choice([0, 0, 2])
    loader = DataLoader(data, batch_size=size, shuffle=True, num_workers=workers)
    given = bad = 0
    with LoaderWatch():
        for batch in ahead(loader, draw.choice([1, 2])):
            for sample in found_samples(batch["label"]):
                assert sample.position is not None
                assert sample.index in {None, int(batch["number"][sample.position])}
                given += sample.index is not None
                bad += 1
    # The last batches come when the iterator is gone; two of the same labels are told apart by nothing.
    assert given > bad / 3


def test_labels_that_two_batches_share_get_no_index() -> None:
    data = Labelled(12)
    data.labels = [30, 2, 3] * 4
    with LoaderWatch():
        seen = [found_samples(batch["label"] + 0) for batch in ahead(DataLoader(data, batch_size=3), 2)]
    assert all(sample.index is None for sample in seen[0])


def test_labels_that_two_batches_share_get_their_index_where_the_loader_is_not_ahead() -> None:
    data = Labelled(12)
    data.labels = [30, 2, 3] * 4
    with LoaderWatch():
        seen = [found_samples(batch["label"] + 0)[0].index for batch in DataLoader(data, batch_size=3)]
        apart = []
        for features, labels, _ in (batch.values() for batch in DataLoader(data, batch_size=3)):
            assert features.shape == (3, 3)
            apart.append(found_samples(labels + 0)[0].index)
    assert seen == apart == [0, 3, 6, 9]


def test_without_replay_nothing_is_made_again() -> None:
    data = Labelled(20)
    with LoaderWatch():
        batch = next(ahead(DataLoader(data, batch_size=4), 1))
        asked = data.asked
        assert all(sample.index is None for sample in found_samples(batch["label"], replay=False))
    assert data.asked == asked


def test_a_slow_dataset_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    data = Labelled(20)
    with LoaderWatch():
        batch = next(ahead(DataLoader(data, batch_size=4), 1))
        monkeypatch.setattr(Labelled, "__getitem__", lambda _self, _index: time.sleep(60))
        monkeypatch.setattr("lossguard.tracing.batches.current_batches._PATIENCE", 0.2)
        assert all(sample.index is None for sample in found_samples(batch["label"]))
