"""Index faults on the CPU in methods and in `x[i]`: the failing expression is judged with what is alive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import lossguard

TABLE = torch.zeros(4, 3)


def _gather() -> Any:
    return TABLE.gather(1, torch.tensor([[0], [3]]))


def _index_select() -> Any:
    rows = torch.tensor([1, 4])
    return TABLE.index_select(0, rows)


def _scatter_add() -> Any:
    return torch.zeros(5).scatter_add_(0, index=torch.tensor([0, 5]), src=torch.ones(2))


def _item() -> Any:
    rows = torch.tensor([1, 4])
    return TABLE[rows].sum()


def _item_of_axis() -> Any:
    return [TABLE[:, column] for column in (torch.tensor([0]), torch.tensor([2, 3]))]


def _written() -> Any:
    out = TABLE.clone()
    out[torch.tensor([0, 9])] = 1.0
    return out


def _no_index_at_all() -> Any:
    return torch.nn.Linear(3, 4)(torch.ones(2, 3)).gather(1, torch.tensor([[1.0], [float("nan")]]))


def _endless_index() -> Any:
    return torch.nn.Linear(3, 4)(torch.ones(2, 3)).gather(1, torch.tensor([[1e30], [float("inf")]]))


def _float_index() -> Any:
    return TABLE[torch.tensor([0.0, 1.0])]


@pytest.mark.parametrize(
    ("act", "code", "argument"),
    [
        (_gather, "LG210", "index"),
        (_no_index_at_all, "LG107", "index"),
        (_endless_index, "LG107", "index"),
        (_index_select, "LG210", "index"),
        (_scatter_add, "LG210", "index"),
        (_item, "LG210", "index"),
        (_item_of_axis, "LG210", "index[1]"),
        (_written, "LG210", "indices"),
        (_float_index, "LG107", "index"),
    ],
)
def test_the_failing_expression_is_judged(act: Callable[[], Any], code: str, argument: str) -> None:
    with pytest.raises((IndexError, RuntimeError)) as caught:
        act()
    found = lossguard.autopsy(caught.value).findings[0]
    assert (found.code, found.argument, str(found.certainty)) == (code, argument, "certain")
    assert found.place is not None
    assert found.place.file.endswith("test_guard_expressions.py")


def test_the_line_that_made_the_index_is_named() -> None:
    def encode(words: list[str]) -> torch.Tensor:
        known = {"a": 0, "b": 1}
        return torch.tensor([known.get(word, 7) for word in words])

    ids = encode(["a", "c"])
    with pytest.raises(IndexError) as caught:
        TABLE[ids]
    found = lossguard.autopsy(caught.value).findings[0]
    assert "known.get" in found.origin[0].place.code


@pytest.mark.parametrize("act", [lambda: list(range(2))[5], lambda: np.zeros(3)[7], lambda: vars()["a"]])
def test_what_is_no_tensor_is_not_ours(act: Callable[[], Any]) -> None:
    with pytest.raises((IndexError, KeyError)) as caught:
        act()
    assert str(lossguard.autopsy(caught.value).verdict) in {"unknown", "unrelated"}
