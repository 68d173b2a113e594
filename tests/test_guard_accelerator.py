"""Accelerators, as far as they can be proved without one: nothing waits, no kernel aborts, the fault is told later.

`elsewhere.py` has the device that does not exist.
"""

from __future__ import annotations

import gc
import warnings
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch.utils.data import DataLoader, Dataset, TensorDataset

import lossguard
from elsewhere import DeviceAssert, Elsewhere, devices
from lossguard.guard.accelerator import shielding, slots
from lossguard.guard.calls.plans import Watched


@pytest.fixture(autouse=True)
def fake_devices() -> Iterator[None]:
    with devices():
        yield


def test_the_fake_device_aborts_and_counts_without_a_guard() -> None:
    with pytest.raises(DeviceAssert):
        F.cross_entropy(Elsewhere(torch.randn(4, 5)), Elsewhere(torch.tensor([0, 1, 9, 2])))
    Elsewhere(torch.ones(())).item()
    assert Elsewhere.waits == ["_local_scalar_dense"]


def test_a_sound_loop_never_waits_for_the_device() -> None:
    torch.manual_seed(0)
    logits, labels = torch.randn(4, 5), torch.tensor([0, 1, 4, -100])
    plain = F.cross_entropy(logits, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with lossguard.guard() as watch:
            for _ in range(20):
                loss = F.cross_entropy(Elsewhere(logits), Elsewhere(labels))
                F.nll_loss(Elsewhere(logits.log_softmax(1)), Elsewhere(labels))
                F.embedding(Elsewhere(labels.clamp(0)), Elsewhere(torch.randn(5, 2)))
            assert Elsewhere.waits == []
    assert isinstance(loss, Elsewhere)
    assert torch.equal(loss.held, plain)
    assert watch.session.troubles == []
    assert not watch.report


def test_a_bad_index_is_told_at_the_next_call_and_the_device_lives() -> None:
    with lossguard.guard() as watch:
        F.cross_entropy(Elsewhere(torch.randn(4, 5)), Elsewhere(torch.tensor([0, 1, 9, 2])))  # happened here
        assert Elsewhere.waits == []
        with pytest.raises(IndexError, match="found late") as caught:
            F.cross_entropy(Elsewhere(torch.randn(4, 5)), Elsewhere(torch.tensor([0, 1, 3, 2])))
        F.cross_entropy(Elsewhere(torch.randn(4, 5)), Elsewhere(torch.tensor([0, 1, 3, 2])))
    assert isinstance(caught.value, lossguard.LossError)
    (finding,) = caught.value.report.findings
    assert finding.code == "LG201"
    assert finding.place is not None
    assert finding.place.code.endswith("# happened here")
    assert finding.evidence["device"] == "cuda:0"
    assert [sample.value for sample in finding.samples] == [9]
    assert [found.code for found in watch.report] == ["LG201"]


def test_a_bad_index_of_the_last_call_is_told_when_the_guard_ends() -> None:
    with pytest.raises(IndexError, match="LG201"), lossguard.guard():
        F.nll_loss(Elsewhere(torch.randn(4, 5).log_softmax(1)), Elsewhere(torch.tensor([0, -7, 1, 2])))


def _labels_from_a_loader(labels: list[int]) -> torch.Tensor:
    batches = iter(DataLoader(TensorDataset(torch.tensor(labels)), batch_size=len(labels)))
    KEPT.append(batches)
    batch: list[torch.Tensor] = next(batches)
    return batch[0]


#: Iterators that live on, as they do in a loop.
KEPT: list[Any] = []


def test_a_bad_label_in_a_batch_of_a_loader_is_told_at_its_own_call() -> None:
    with lossguard.guard():
        labels = _labels_from_a_loader([0, 1, 9, 2])
        with pytest.raises(IndexError, match="LG201") as caught:
            F.cross_entropy(Elsewhere(torch.randn(4, 5)), Elsewhere(labels))  # here already
    assert isinstance(caught.value, lossguard.LossError)
    (finding,) = caught.value.report.findings
    assert finding.place is not None
    assert finding.place.code.endswith("# here already")


class Counted(Dataset[Any]):
    """Labels that begin at one, and features; in another order than the loader's."""

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int, float]:
        label = index % 5 + 1  # the guilty line
        return torch.randn(3), label, index / 30


def test_a_bad_label_of_a_loader_is_traced_to_its_sample_and_its_line() -> None:
    def train() -> None:
        for features, labels, _ in DataLoader(Counted(), batch_size=4, shuffle=True):
            F.cross_entropy(Elsewhere(torch.zeros(len(features), 5)), Elsewhere(labels))

    with lossguard.guard(), pytest.raises(IndexError) as caught:
        train()
    assert isinstance(caught.value, lossguard.LossError)
    (finding,) = caught.value.report.findings
    assert finding.samples
    assert "because the batch showed it" in finding.cause
    assert all(sample.index is not None and sample.index % 5 == 4 for sample in finding.samples)
    assert finding.origin[0].place.code == "label = index % 5 + 1  # the guilty line"


def test_a_bad_value_that_is_told_late_is_traced_to_its_sample() -> None:
    seen: list[list[int]] = []

    def train() -> None:
        for features, _, shares in DataLoader(Counted(), batch_size=4, shuffle=True):
            seen.append((shares * 30).round().int().tolist())
            probabilities = Elsewhere(torch.full((len(features),), 0.5, dtype=shares.dtype))
            F.binary_cross_entropy(probabilities, Elsewhere(shares))

    with lossguard.guard(), pytest.raises(RuntimeError, match="found late") as caught:
        train()
    assert isinstance(caught.value, lossguard.LossError)
    (finding,) = caught.value.report.findings
    assert finding.code == "LG205"
    for sample in finding.samples:
        assert sample.position is not None
        assert sample.index == seen[-2][sample.position[0]] > 30
        assert sample.batch == len(seen) - 2


def test_labels_that_the_device_remaps_are_no_fault_and_cost_one_wait_only() -> None:
    with lossguard.guard() as watch:
        labels = _labels_from_a_loader([0, 1, 255, 2])
        for _ in range(3):
            F.cross_entropy(Elsewhere(torch.randn(4, 5)), Elsewhere(labels.clamp(max=4)))
        assert watch.session.remapped
        assert Elsewhere.waits == []  # the fake device's flags are there at once; a real one is asked to finish once
    assert not watch.report


LABELS = torch.tensor([0, 1, 3, 2])


def _sound() -> tuple[Elsewhere, Elsewhere]:
    return Elsewhere(torch.randn(4, 5)), Elsewhere(LABELS)


def test_a_loss_of_nan_is_named_later_by_the_rule_and_at_its_place() -> None:
    logits = torch.full((4, 5), float("nan"))
    with lossguard.guard() as watch:
        F.cross_entropy(Elsewhere(logits), Elsewhere(LABELS))  # happened here
        assert Elsewhere.waits == []
        with pytest.warns(lossguard.LossWarning, match="LG207(.|\n)*found late"):
            F.cross_entropy(*_sound())
    (finding,) = watch.report.findings
    assert (finding.code, finding.loss, finding.evidence["device"]) == ("LG207", "cross_entropy", "cuda:0")
    assert finding.evidence["times"] == 1
    assert finding.place is not None
    assert finding.place.code.endswith("# happened here")


def test_a_negative_loss_is_named_at_the_first_call() -> None:
    """Raw scores in nll_loss: the first call of each site is copied to the host as a whole, without waiting."""
    scores = torch.tensor([[3.0, 1.0, -2.0, 4.0]]).expand(8, 4)
    with warnings.catch_warnings(record=True) as caught, lossguard.guard() as watch:
        warnings.simplefilter("always")
        for _ in range(3):
            F.nll_loss(Elsewhere(scores), Elsewhere(torch.zeros(8, dtype=torch.int64)))
            assert Elsewhere.waits == []
    assert [warning.category for warning in caught] == [lossguard.LossWarning]
    assert [finding.code for finding in watch.report.findings] == ["LG301"]


@pytest.mark.parametrize(("again", "code"), [(True, "LG207"), (False, "LG506")], ids=["again", "once"])
def test_a_nan_between_two_looks_is_explained_by_the_next_call_or_said_to_be_unexplained(
    again: bool, code: str
) -> None:
    """The sixth call is not looked at as a whole, and its arguments are gone when its NaN is known."""
    bad = torch.full((4, 5), float("nan"))
    with warnings.catch_warnings(), lossguard.guard() as watch:
        warnings.simplefilter("ignore", lossguard.LossWarning)
        for call in range(1, 9):
            logits = Elsewhere(bad if call == 6 or (again and call == 7) else torch.randn(4, 5))
            loss = F.cross_entropy(logits, Elsewhere(LABELS))
            del logits, loss
        assert Elsewhere.waits == []
    (finding,) = watch.report.findings
    assert finding.code == code
    assert finding.place is not None
    assert finding.place.code == "loss = F.cross_entropy(logits, Elsewhere(LABELS))"
    assert watch.session.troubles == []


def test_a_nan_of_the_last_call_is_told_when_the_guard_ends() -> None:
    with warnings.catch_warnings(), lossguard.guard(deep="never") as watch:
        warnings.simplefilter("ignore", lossguard.LossWarning)
        F.cross_entropy(Elsewhere(torch.full((4, 5), float("nan"))), Elsewhere(LABELS))
        assert not watch.report.findings
    assert [finding.code for finding in watch.report.findings] == ["LG506"]


def test_a_suspicious_shape_is_told_on_a_device_too() -> None:
    with warnings.catch_warnings(), lossguard.guard() as watch:
        warnings.simplefilter("ignore")
        F.mse_loss(Elsewhere(torch.randn(4, 1)), Elsewhere(torch.randn(4)))
        assert Elsewhere.waits == []
    assert [finding.code for finding in watch.report.findings] == ["LG406"]


def test_a_remark_on_the_line_counts_when_the_news_come_late() -> None:
    softmax = torch.randn(8, 5).softmax(1)
    labels = torch.zeros(8, dtype=torch.int64)
    with warnings.catch_warnings(), lossguard.guard() as watch:
        warnings.simplefilter("ignore", lossguard.LossWarning)
        F.cross_entropy(Elsewhere(softmax), Elsewhere(labels))  # lossguard: allow LG303
        F.cross_entropy(Elsewhere(softmax), Elsewhere(labels))  # not allowed
    (finding,) = watch.report.findings
    assert finding.code == "LG303"
    assert finding.place is not None
    assert finding.place.code.endswith("# not allowed")


def test_a_flag_on_its_way_keeps_no_graph_and_no_logits_alive() -> None:
    with lossguard.guard() as watch:
        logits = Elsewhere(torch.randn(4, 5))
        alive = weakref.ref(logits)
        F.cross_entropy(logits, Elsewhere(torch.tensor([0, 1, 3, 2])))
        assert watch.session.pending
        del logits
        gc.collect()
        assert alive() is None


def test_a_device_that_answers_late_keeps_few_labels_and_not_all_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what is in flight the newest 64 keep their labels; beyond 1,024 flags the oldest are left unread."""
    monkeypatch.setattr(slots.Slot, "arrived", lambda _: False)
    table = Elsewhere(torch.randn(5, 2))
    with lossguard.guard() as watch:
        for number in range(1030):
            F.embedding(Elsewhere(torch.tensor([number % 5])), table)
        pending = watch.session.pending
        kept = [flag.record.memory.recall(frozenset({"input"})) is not None for flag in pending]
        assert len(pending) == 1024
        assert kept == [False] * (1024 - 64) + [True] * 64
        assert Elsewhere.waits == []
    assert watch.session.troubles == []


def _shielded(value: torch.Tensor, watched: Watched) -> tuple[torch.Tensor, bool]:
    flag = torch.zeros((), dtype=torch.bool)
    safe = shielding.shielded(value, watched, flag)
    return safe, bool(flag)


@pytest.mark.parametrize(
    ("given", "ignore", "expected", "bad"),
    [
        ([0, -1, 5, 4, 255], 255, [0, 0, 4, 4, 255], True),
        ([0, 3, 4, 255], 255, [0, 3, 4, 255], False),
        ([0, 3, 4, 1], None, [0, 3, 4, 1], False),
        ([0, 3, 4, -1], 2, [0, 3, 4, 0], True),
    ],
)
def test_only_bad_indices_are_replaced(given: list[int], ignore: int | None, expected: list[int], bad: bool) -> None:
    safe, flagged = _shielded(torch.tensor(given), Watched("target", least=0, greatest=4, ignore=ignore))
    assert (safe.tolist(), flagged) == (expected, bad)


def test_nothing_is_read_on_meta_where_reading_raises() -> None:
    with lossguard.guard(deep="always") as watch:
        for _ in range(4):
            F.cross_entropy(torch.randn(4, 5, device="meta"), torch.zeros(4, dtype=torch.int64, device="meta"))
            F.mse_loss(torch.randn(4, 5, device="meta"), torch.randn(4, 5, device="meta"))
            F.ctc_loss(
                torch.randn(9, 2, 5, device="meta"),
                torch.ones(2, 3, dtype=torch.int64, device="meta"),
                (9, 9),  # type: ignore[arg-type]  # torch has no meta kernel for lengths in a tensor
                (3, 3),  # type: ignore[arg-type]
            )
    assert watch.session.troubles == []
    assert not watch.report
