"""The index of every sample is right, whatever the sampler, the workers and the order; nothing is left behind."""

from __future__ import annotations

import gc
import random
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
)
from torch.utils.data.dataloader import _BaseDataLoaderIter

from lossguard.findings import Sample
from lossguard.tracing.batches.loaders import LoaderWatch, streams, streams_and_ended
from lossguard.tracing.batches.samples import base_dataset, base_of, find_source, place


@pytest.fixture(autouse=True)
def watch() -> Iterator[LoaderWatch]:
    """Every test is watched, and leaves nothing behind."""
    with LoaderWatch() as own:
        yield own


class Codes(Dataset[Any]):
    """Every sample is its own number, so that a batch tells which samples it is made of."""

    def __init__(self, size: int, offset: int = 0) -> None:
        self.size = size
        self.offset = offset

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return torch.zeros(2), self.offset + index


def _datasets(draw: random.Random) -> Dataset[Any]:
    size = draw.randint(5, 60)
    kind = draw.choice(["plain", "subset", "nested", "concat", "tensors", "concat of subsets"])
    order = draw.sample(range(size), draw.randint(2, size))
    if kind == "subset":
        return Subset(Codes(size), order)
    if kind == "nested":
        inner: Subset[Any] = Subset(Codes(size), order)
        return Subset(inner, draw.sample(range(len(order)), draw.randint(1, len(order))))
    if kind == "concat":
        return ConcatDataset([Codes(size), Codes(7, 1000), Codes(3, 2000)])
    if kind == "tensors":
        return TensorDataset(torch.zeros(size, 2), torch.arange(size) + 5000)
    if kind == "concat of subsets":
        return ConcatDataset([Subset(Codes(size), order), Codes(4, 1000)])
    return Codes(size)


def _loader(draw: random.Random, data: Any, workers: int) -> DataLoader[Any]:
    size = draw.randint(1, 9)
    settings: dict[str, Any] = {"batch_size": size, "drop_last": draw.random() < 0.3}
    kind = draw.choice(["in order", "shuffled", "replaced", "weighted", "batches"])
    if kind == "shuffled":
        settings["shuffle"] = True
    elif kind == "replaced":
        settings["sampler"] = RandomSampler(data, replacement=True, num_samples=40)
    elif kind == "weighted":
        settings["sampler"] = WeightedRandomSampler([draw.random() + 0.1 for _ in range(len(data))], 30)
    elif kind == "batches":
        settings = {"batch_sampler": BatchSampler(RandomSampler(data), size, drop_last=False)}
    if workers:
        settings.update(
            num_workers=workers,
            prefetch_factor=draw.randint(1, 4),
            persistent_workers=draw.random() < 0.5,
            in_order=draw.random() < 0.5,
        )
    return DataLoader(data, **settings)


def _changes(draw: random.Random) -> Callable[[torch.Tensor], torch.Tensor]:
    """What a program may do to the labels before the loss: all of it keeps the order."""
    return draw.choice(
        [
            lambda labels: labels,
            lambda labels: labels.float(),
            lambda labels: labels.double().unsqueeze(1),
            lambda labels: labels.clone().reshape(-1, 1, 1),
            lambda labels: labels.int(),
        ]
    )


def _check(loader: DataLoader[Any], draw: random.Random) -> int:
    """Every position of every batch of two passes; the number of samples that were looked at."""
    looked = 0
    for _ in range(2):
        for number, (_, labels) in enumerate(loader):
            target = _changes(draw)(labels)
            source = find_source(target)
            assert source is not None
            for row, code in enumerate(labels.tolist()):
                position = (row, *(0,) * (target.dim() - 1))
                sample = place(Sample(value=code, position=position), tuple(target.shape), source)
                assert sample.batch == number
                assert sample.index is not None
                outer = sample.index if sample.subset_index is None else sample.subset_index
                base, index = base_of(loader.dataset, outer)
                assert (index, type(base).__name__) == (sample.index, sample.dataset)
                assert loader.dataset[outer][1] == code
                held, inner = base_dataset(loader.dataset, outer)
                assert held[inner][1] == code
                looked += 1
    return looked


@pytest.mark.parametrize("seed", range(60))
def test_the_index_is_right_without_workers(seed: int) -> None:
    draw = random.Random(seed)
    torch.manual_seed(seed)
    _check(_loader(draw, _datasets(draw), 0), draw)


@pytest.mark.parametrize("seed", range(20))
def test_the_index_is_right_with_workers(seed: int) -> None:
    draw = random.Random(1000 + seed)
    torch.manual_seed(seed)
    _check(_loader(draw, _datasets(draw), 1 + seed % 2), draw)


def test_an_index_list_given_at_once_belongs_to_the_whole_batch() -> None:
    sampler = BatchSampler(RandomSampler(range(10)), 3, drop_last=False)
    data = TensorDataset(torch.zeros(10, 2), torch.arange(10))
    for _, labels in DataLoader(data, sampler=sampler, batch_size=None):
        assert streams()[0].deliveries[0].indices == labels.tolist()


class Failing(Codes):
    """Some samples cannot be made, and some take their time."""

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        if index == 5:
            raise ValueError("no such sample")
        if index % 7 == 0:
            import time

            time.sleep(0.01)
        return super().__getitem__(index)


@pytest.mark.parametrize("in_order", [True, False])
def test_a_batch_that_fails_does_not_shift_the_others(in_order: bool) -> None:
    loader = DataLoader(Failing(40), batch_size=2, num_workers=2, in_order=in_order)
    iterator = iter(loader)
    failed, seen = 0, 0
    while True:
        try:
            _, labels = next(iterator)
        except StopIteration:
            break
        except ValueError:
            failed += 1
            continue
        seen += 1
        assert streams()[0].deliveries[0].indices == labels.tolist()
    assert (failed, seen) == (1, 19)


class Stream(IterableDataset[Any]):
    """Samples without an index."""

    def __iter__(self) -> Iterator[tuple[torch.Tensor, int]]:
        return ((torch.zeros(2), 100 + number) for number in range(10))


def test_an_iterable_dataset_gives_batch_and_position_only() -> None:
    for number, (_, labels) in enumerate(DataLoader(Stream(), batch_size=4)):
        source = find_source(labels)
        assert source is not None
        sample = place(Sample(value=1, position=(1,)), tuple(labels.shape), source)
        assert (sample.batch, sample.position, sample.index) == (number, (1,), None)


def test_samples_that_carry_a_key_are_named_by_it() -> None:
    rows = [{"__key__": f"shard/{number}", "y": number + 10} for number in range(6)]
    data: Any = rows
    for batch in DataLoader(data, batch_size=3):
        source = find_source(batch["y"])
        assert source is not None
        assert place(Sample(value=0, position=(2,)), (3,), source).key == batch["__key__"][2]


def test_removing_the_last_watch_leaves_torch_as_it_was(watch: LoaderWatch) -> None:
    watch.remove()
    before = dict(vars(_BaseDataLoaderIter))
    code = before["__next__"].__code__
    first, second = LoaderWatch(), LoaderWatch()
    first.install()
    second.install()
    second.install()
    assert before["__next__"].__code__ is not code
    loader = DataLoader(Codes(6), batch_size=2)
    iterator = iter(loader)
    next(iterator)
    first.remove()
    assert before["__next__"].__code__ is not code
    second.remove()
    assert dict(vars(_BaseDataLoaderIter)) == before
    assert before["__next__"].__code__ is code
    assert "_lossguard_memory" not in vars(iterator)
    assert streams() == []
    assert next(iterator)[1].tolist() == [2, 3]


@pytest.mark.parametrize("workers", [0, 2])
def test_memory_does_not_grow_with_steps(workers: int) -> None:
    loader = DataLoader(Codes(300), batch_size=1, num_workers=workers, persistent_workers=bool(workers))
    for _ in range(2):
        for _ in loader:
            memory = streams()[0].iterator._lossguard_memory
            assert len(memory.flight or ()) <= 2 * workers
            assert len(memory.delivered) <= 3


def test_a_finished_pass_holds_nothing() -> None:
    loader = DataLoader(Codes(4), batch_size=2)
    iterator = iter(loader)
    kept = weakref.ref(next(iterator)[1])
    assert kept() is not None
    next(iterator)
    assert kept() is None
    last = weakref.ref(iterator)
    del iterator
    gc.collect()
    assert last() is None
    assert streams() == []


def test_two_fields_with_the_same_numbers_are_not_told_apart() -> None:
    rows: Any = [{"a": number, "b": number} for number in range(8)]
    for batch in DataLoader(rows, batch_size=4):
        assert find_source(batch["b"].float()) is None
        found = find_source(batch["b"])
        assert found is not None
        assert found.field.path == ("b",)


@pytest.mark.parametrize("workers", [0, 2])
def test_of_a_loop_that_an_exception_left_only_the_indices_stay(workers: int) -> None:
    loader = DataLoader(Codes(8), batch_size=2, num_workers=workers)
    labels: list[weakref.ref[Any]] = []

    def leave() -> None:
        for _, batch in loader:
            labels.append(weakref.ref(batch))
            if len(labels) == 2:
                raise KeyError

    with pytest.raises(KeyError):
        leave()
    gc.collect()
    assert [label() for label in labels] == [None, None]
    assert streams() == []
    (stream,) = streams_and_ended()
    assert stream.deliveries[0].indices == [2, 3]
    assert (stream.deliveries[0].number, stream.dataset) == (1, loader.dataset)
    assert stream.batches


def test_of_a_pass_that_came_to_its_end_nothing_stays() -> None:
    for _ in DataLoader(Codes(4), batch_size=2):
        pass
    gc.collect()
    assert streams_and_ended() == []
