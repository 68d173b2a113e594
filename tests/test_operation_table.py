"""The table of operations: its words are known, its rows are in order, and what it says of torch and numpy is so."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

from lossguard.operations.arrays import ARRAYS
from lossguard.operations.computing import COMPUTING
from lossguard.operations.frames import FRAMES
from lossguard.operations.layers import LAYERS
from lossguard.operations.operation import COLUMNS, Operation
from lossguard.operations.python import PYTHON
from lossguard.operations.table import TABLE, dtype_of, find, named

HOMES = {
    "torch": (torch, F, torch.Tensor, torch.utils.data, torch.utils.data.dataloader, torch.nn.utils.rnn, torch.special),
    "numpy": (np, np.ndarray, np.random, np.random.Generator, np.random.RandomState),
    "pandas": (pd, pd.DataFrame, pd.Series, pd.Categorical, pd.core.groupby.GroupBy, pd.core.groupby.SeriesGroupBy),
    "layer": (torch.nn,),
}


@pytest.mark.parametrize("operation", TABLE, ids=lambda operation: operation.name)
def test_a_row_has_known_words_and_says_something(operation: Operation) -> None:
    for column, words in COLUMNS.items():
        assert getattr(operation, column) <= set(words), f"{column} has a word that COLUMNS does not explain"
    assert any(getattr(operation, column) for column in COLUMNS if column != "home")


@pytest.mark.parametrize("rows", [ARRAYS, COMPUTING, FRAMES, LAYERS, PYTHON])
def test_rows_stand_in_order_and_once(rows: tuple[Operation, ...]) -> None:
    order = [(row.name.lower(), row.name, *sorted(row.home)) for row in rows]
    assert order == sorted(order)
    assert len({row.name for row in TABLE if "attribute" not in row.home}) == sum(
        "attribute" not in row.home for row in TABLE
    ), "a name has two rows: give each its own home"


@pytest.mark.parametrize("home", HOMES)
def test_a_pure_call_is_there_in_its_home(home: str) -> None:
    absent = [
        row.name
        for row in TABLE
        if row.home == {home} and row.pure and not any(hasattr(place, row.name) for place in HOMES[home])
    ]
    assert not absent


def test_casts_give_the_dtype_that_they_are_named_after() -> None:
    for name in named("dtype", "cast"):
        if dtype_of(name) is not None and hasattr(torch.Tensor, name):
            assert str(getattr(torch.ones(2), name)().dtype) == f"torch.{dtype_of(name)}"


@pytest.mark.parametrize("name", sorted(named("dtype", "bool") & named("pure", "method")))
def test_what_is_true_or_false_is_bool(name: str) -> None:
    tensor, series, text = torch.tensor([1.0, 2.0]), pd.Series([1.0, 2.0]), "word"
    calls = ((tensor, ()), (tensor, (tensor,)), (series, ()), (series, (series,)), (series, (1, 2)), (text, ("w",)))
    for data, operands in (*calls, (text, ())):
        try:
            found = getattr(data, name)(*operands)
        except (AttributeError, TypeError, RuntimeError, ValueError):
            continue
        assert str(getattr(found, "dtype", type(found).__name__)).removeprefix("torch.") == "bool"
        return
    pytest.fail(f"{name} could not be called")


def test_a_name_is_found_by_its_home() -> None:
    assert [row.name for row in find("softmax", "torch")] == ["softmax"]
    assert find("softmax", "pandas") == ()
    assert find("no_such_call") == ()


def test_the_table_loads_nothing_heavy() -> None:
    probe = "import sys, lossguard.operations.table; print({'torch', 'numpy', 'pandas'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
