"""Facts add up: `+` is associative, NOTHING is its identity, and parts added up equal the whole."""

from __future__ import annotations

import dataclasses
import math
import pickle
from functools import reduce
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lossguard.contracts.contract import Bounds
from lossguard.facts import from_tensor, from_values
from lossguard.facts.facts import NOTHING, Facts, Maker, Offender, Rows, total

BOUNDS = Bounds(0, 5, -100)
counts = st.none() | st.integers(0, 20)
numbers = st.none() | st.integers(-9, 9) | st.floats(-9, 9).map(lambda value: round(value, 1))
tallies: st.SearchStrategy[Any] = st.none() | st.dictionaries(st.integers(-20, 20), st.integers(1, 5), max_size=12)
offenders = st.builds(Offender, st.integers(-9, 9), st.tuples(st.integers(0, 9)), st.just(0))
small = st.integers(0, 50)
sums = st.floats(-9, 9).map(lambda value: round(value, 1))
rows = st.builds(
    Rows, **{entry.name: sums if entry.name.endswith("_sum") else small for entry in dataclasses.fields(Rows)}
)
narrower = st.frozensets(st.sampled_from(["float16", "bfloat16", "float32"]))
#: A strategy for each field of facts. A field that is missing here fails the test below.
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "kind": st.sampled_from(["tensor", "list"]),
    "dtype": st.sampled_from(["int64", "float32"]),
    "shape": st.sampled_from([(2,), (3, 4)]),
    "device": st.sampled_from(["cpu", "cuda:0"]),
    "storage": st.sampled_from(["strided", "sparse_coo"]),
    "exact_in": narrower,
    "bounds": st.sampled_from([BOUNDS, Bounds(0, 7)]),
    "offenders": st.lists(offenders, max_size=4).map(tuple),
    "outputs_last": st.booleans(),
    "maker": st.sampled_from(Maker),
    "softmax_axis": st.integers(0, 2),
    "weights_finite": st.booleans(),
    **dict.fromkeys(("rows", "last_rows"), rows),
    **dict.fromkeys(("smallest", "largest", "smallest_within", "largest_within"), numbers),
    **dict.fromkeys(("below_values", "above_values", "class_counts"), tallies),
    **dict.fromkeys(("count", "nan", "null", "positive_infinity", "negative_infinity", "fractional"), counts),
    **dict.fromkeys(("inexact", "ignored", "below", "above", "excluded"), counts),
}


@st.composite
def facts(draw: st.DrawFn) -> Facts:
    """Any facts, many of them unknown; now and then the identity."""
    if draw(st.integers(0, 9)) == 0:
        return NOTHING
    known: dict[str, Any] = {name: draw(st.none() | values) for name, values in FIELDS.items()}
    return Facts(**known)


def test_every_field_of_facts_is_drawn() -> None:
    assert {*FIELDS, "parts"} == {entry.name for entry in dataclasses.fields(Facts)}


@given(facts(), facts(), facts())
def test_adding_facts_is_associative(one: Facts, two: Facts, three: Facts) -> None:
    assert (one + two) + three == one + (two + three)


@given(facts())
def test_nothing_is_the_identity(one: Facts) -> None:
    assert one + NOTHING == one == NOTHING + one
    assert sum([one], NOTHING) == total([one]) == one
    assert sum([one]) == one


@given(rows, rows, rows)
def test_adding_rows_is_associative_and_has_an_identity(one: Rows, two: Rows, three: Rows) -> None:
    assert (one + two) + three == one + (two + three)
    assert one + Rows() == one == Rows() + one


@given(facts())
def test_facts_pickle(one: Facts) -> None:
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301 - our own bytes


def test_a_sum_claims_no_more_than_its_parts() -> None:
    assert (Facts(count=3, nan=None) + Facts(count=4, nan=0)).nan is None
    assert (Facts(below=1, bounds=Bounds(0, 5)) + Facts(below=1, bounds=Bounds(0, 6))).below is None


labels = st.lists(st.integers(-130, 12) | st.sampled_from([-100, 255, 2**40, -(2**63)]), max_size=12)
reals = st.lists(
    st.integers(-3, 8).map(float) | st.sampled_from([math.nan, math.inf, -math.inf, 0.5, 2.0**24, -100.0]), max_size=12
)
WHOLE = ["count", "smallest", "largest", "nan", "positive_infinity", "negative_infinity", "fractional", "inexact"]
STRAY = ["ignored", "below", "above", "below_values", "above_values"]


@pytest.mark.parametrize("dtype", [torch.int64, torch.float32, torch.float64], ids=str)
@given(data=st.data())
def test_facts_of_parts_add_up_to_the_facts_of_the_whole(data: st.DataObject, dtype: torch.dtype) -> None:
    values: Any = labels if dtype is torch.int64 else reals
    parts = [torch.tensor(data.draw(values), dtype=dtype) for _ in range(3)]
    added = reduce(Facts.__add__, (from_tensor.observe(part, BOUNDS) for part in parts), NOTHING)
    whole = from_tensor.observe(torch.cat(parts), BOUNDS)
    for name in WHOLE + STRAY:
        assert getattr(added, name) == getattr(whole, name), name
    assert added.offenders is not None
    assert whole.offenders is not None
    assert _values(added) == _values(whole)


def _values(known: Facts) -> list[str]:
    return [str(offender.value) for offender in known.offenders or ()]


@given(st.lists(st.lists(st.integers(-3, 8) | st.sampled_from([0.5, math.nan, math.inf]), max_size=8), max_size=4))
def test_lists_arrays_and_tensors_give_the_same_numbers(parts: list[list[float]]) -> None:
    values = [float(value) for part in parts for value in part]
    tensor = from_tensor.observe(torch.tensor(values, dtype=torch.float64), BOUNDS)
    for other in (from_values.observe(values, BOUNDS), from_values.observe(np.array(values), BOUNDS)):
        for name in ("count", "smallest", "largest", "nan", "fractional", *STRAY):
            assert getattr(other, name) == getattr(tensor, name), name
        assert _values(other) == _values(tensor)


@given(st.lists(st.integers(-5, 9), min_size=1, max_size=20))
def test_offenders_stand_where_the_facts_say(values: list[int]) -> None:
    tensor = torch.tensor(values)
    for offender in from_tensor.observe(tensor, BOUNDS).offenders or ():
        assert tensor[offender.position] == offender.value
        assert not 0 <= offender.value < 5


def test_the_sound_case_reads_the_target_once() -> None:
    """Extremes inside the bounds answer everything: no second pass over the values."""
    from torch.utils._python_dispatch import TorchDispatchMode

    full: list[str] = []

    class Counting(TorchDispatchMode):
        """Writes down which operators read a tensor of full size."""

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if args and isinstance(args[0], torch.Tensor) and args[0].numel() == 64 and "detach" not in str(func):
                full.append(str(func))
            return func(*args, **(kwargs or {}))

    labels = torch.arange(64) % 5
    with Counting():  # type: ignore[no-untyped-call]  # torch gives it no types
        known = from_tensor.observe(labels, BOUNDS)
    assert known.below == known.above == 0
    assert full == ["aten.aminmax.default"]


def test_facts_of_a_meta_tensor_are_metadata_only() -> None:
    known = from_tensor.observe(torch.empty(3, 4, device="meta"), BOUNDS)
    assert (known.dtype, known.shape, known.device, known.count) == ("float32", (3, 4), "meta", 12)
    assert known.smallest is known.nan is known.below is None


@pytest.mark.parametrize("value", [None, "words", object(), {"a": 1}, [[1], [2, 3]], ["a"], {1}])
def test_facts_of_strangers_are_their_kind(value: Any) -> None:
    known = from_values.observe(value, BOUNDS)
    assert known.kind in {"none", type(value).__name__}
    assert known.smallest is None


def test_uint64_above_int64_is_seen_as_what_it_is() -> None:
    tensor = torch.tensor([3, 2**63 + 5], dtype=torch.uint64)
    known = from_tensor.observe(tensor, BOUNDS)
    assert (known.above, known.largest) == (1, 2**63 + 5)
    assert known.offenders == (Offender(2**63 + 5, (1,)),)
