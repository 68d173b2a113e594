"""A guard looks into the frames of a program and leaves nothing in them."""

from __future__ import annotations

import gc
import traceback
import weakref
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

import lossguard

X = torch.randn(6, 5, generator=torch.Generator().manual_seed(1))
Y = torch.tensor([0, 1, 2, 3, 4, 0])
LOUD = X * 5 + 9
quiet = pytest.mark.filterwarnings("ignore::lossguard.LossWarning")


@quiet
def test_variables_of_the_program_die_when_it_lets_go_of_them() -> None:
    def train(rate: float = 0.1) -> tuple[bool, dict[str, Any]]:
        known = locals()
        big = torch.zeros(1000)
        empty: dict[str, Any] = {}
        seen = weakref.ref(big)
        before = dict(known)
        for step in range(3):
            F.nll_loss(LOUD, Y)
            if step == 0:
                del big
        del empty
        return seen() is None and before == {"rate": rate}, {} if known == before else known

    def train_without_locals() -> bool:
        big = torch.zeros(1000)
        table: dict[str, Any] = {}
        seen = weakref.ref(big)
        F.nll_loss(LOUD, Y)
        del big, table
        return seen() is None

    with lossguard.guard() as watch:
        assert train() == (True, {})
        assert train_without_locals()
    gc.collect()
    assert [finding.code for finding in watch.report.findings] == ["LG301"] * 2


def test_an_error_that_leaves_a_guard_keeps_nothing_of_the_function_it_is_caught_in() -> None:
    def train(rate: float = 0.1) -> tuple[bool, dict[str, Any]]:
        known = locals()
        known["own"] = rate
        big = torch.zeros(1000)
        seen = weakref.ref(big)
        with pytest.raises(IndexError), lossguard.guard(record="off"):
            X[Y + 9]
        del big
        return seen() is None, known

    def stop() -> weakref.ref[torch.Tensor]:
        big = torch.zeros(1000)
        held.append(weakref.ref(big))
        raise ValueError(F.cross_entropy(X, Y + 9))

    assert train() == (True, {"rate": 0.1, "own": 0.1})
    held: list[weakref.ref[torch.Tensor]] = []
    with pytest.raises(IndexError) as caught, lossguard.guard(notes=False):
        stop()
    traceback.clear_frames(caught.value.__traceback__)
    assert held[0]() is None
