"""Accelerators, as far as they can be proved without one: nothing waits, no kernel aborts, the fault is told later.

`Elsewhere` is a device that does not exist: a tensor whose data lives on the CPU, that calls itself CUDA, counts
everything a real device would have to wait for, and aborts where a CUDA kernel would.
"""

from __future__ import annotations

import gc
import warnings
import weakref
from collections.abc import Iterator
from typing import Any, Self

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch.utils._pytree import tree_map_only
from torch.utils.data import DataLoader, TensorDataset

import lossguard
from lossguard.guard import accelerator
from lossguard.guard.plans import Watched


class DeviceAssert(BaseException):
    """What a failed assertion in a kernel does to a process."""


class Elsewhere(torch.Tensor):
    """A tensor on a device that counts how often the host must wait for it."""

    waits: list[str] = []  # noqa: RUF012 - one device for all its tensors
    held: torch.Tensor

    def __new__(cls, inner: torch.Tensor) -> Self:
        """A tensor that says it is on the device."""
        made: Self = torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, dtype=inner.dtype, device=torch.device("cuda:0"), requires_grad=inner.requires_grad
        )
        made.held = inner
        return made

    def __init__(self, inner: torch.Tensor) -> None:
        del inner

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        name = func.overloadpacket.__name__
        waits = {"_local_scalar_dense", "nonzero", "item", "equal", "is_nonzero"}
        if name in waits:
            cls.waits.append(name)
        inner_args = tree_map_only(Elsewhere, lambda tensor: tensor.held, args)
        inner_kwargs = tree_map_only(Elsewhere, lambda tensor: tensor.held, kwargs)
        if name == "copy_" and not isinstance(args[0], Elsewhere):
            if not (kwargs.get("non_blocking") or (len(args) > 2 and args[2])):
                cls.waits.append("blocking copy")
            return args[0].copy_(inner_args[1])
        if name == "_to_copy" and torch.device(kwargs.get("device") or "cuda").type == "cpu":
            cls.waits.append("to the host")
            return args[0].held.clone()
        if inner_kwargs.get("device") is not None:
            inner_kwargs["device"] = "cpu"
        try:
            result = func(*inner_args, **inner_kwargs)
        except IndexError as error:
            raise DeviceAssert(str(error)) from None
        return tree_map_only(torch.Tensor, Elsewhere, result)


@pytest.fixture(autouse=True)
def device() -> Iterator[None]:
    accelerator.SHIELDED_TYPES.add(Elsewhere)
    Elsewhere.waits.clear()
    yield
    accelerator.SHIELDED_TYPES.discard(Elsewhere)


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


def test_labels_that_the_device_remaps_are_no_fault_and_cost_one_wait_only() -> None:
    with lossguard.guard() as watch:
        labels = _labels_from_a_loader([0, 1, 255, 2])
        for _ in range(3):
            F.cross_entropy(Elsewhere(torch.randn(4, 5)), Elsewhere(labels.clamp(max=4)))
        assert watch.session.remapped
        assert Elsewhere.waits == []  # the fake device's flags are there at once; a real one is asked to finish once
    assert not watch.report


def test_a_loss_of_nan_is_told_later_and_stands_in_the_report() -> None:
    logits = torch.full((4, 5), float("nan"))
    sound = Elsewhere(torch.randn(4, 5)), Elsewhere(torch.tensor([0, 1, 3, 2]))
    with lossguard.guard() as watch:
        F.cross_entropy(Elsewhere(logits), Elsewhere(torch.tensor([0, 1, 3, 2])))  # happened here
        assert Elsewhere.waits == []
        with pytest.warns(lossguard.LossWarning, match="came out as NaN; found late"):
            F.cross_entropy(*sound)
    (finding,) = watch.report.findings
    assert (finding.code, finding.loss) == ("LG506", "cross_entropy")
    assert finding.place is not None
    assert finding.place.code.endswith("# happened here")


def test_a_flag_on_its_way_keeps_no_graph_and_no_logits_alive() -> None:
    with lossguard.guard() as watch:
        logits = Elsewhere(torch.randn(4, 5))
        alive = weakref.ref(logits)
        F.cross_entropy(logits, Elsewhere(torch.tensor([0, 1, 3, 2])))
        assert watch.session.pending
        del logits
        gc.collect()
        assert alive() is None


def test_only_indices_are_replaced_and_only_where_they_are_bad() -> None:
    given = torch.tensor([0, -1, 5, 4, 255])
    watched = Watched("target", least=0, greatest=4, ignore=255)
    safe, numbers = accelerator._replaced(given, watched)
    assert safe.tolist() == [0, 0, 0, 4, 255]
    assert numbers.tolist() == [1, -1, 255]


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
