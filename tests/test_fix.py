"""It never loses a label: a fixed target means the same labels, or there is none."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

import lossguard
from lossguard import CannotFix
from lossguard.facts.torch_versions import dtypes

FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2]
INTEGERS = dtypes("int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64")
DTYPES = [*FLOATS, *INTEGERS, torch.bool]
CLASSES = [1, 2, 3, 5, 17, 129, 255, 256, 257, 300, 2049, 2050]


def _loss(classes: int, target: torch.Tensor, **settings: Any) -> torch.Tensor:
    """A loss that differs for any two labels: class k costs k."""
    costs = -torch.arange(float(classes)).expand(len(target), classes)
    return F.nll_loss(costs, target, reduction="none", **settings)


def _assert_nothing_lost(labels: torch.Tensor, dtype: torch.dtype, classes: int, **settings: Any) -> bool:
    """Push labels through a dtype and fix them: the true loss or a refusal; tell whether it was fixed."""
    target = labels.to(dtype)
    costs = -torch.arange(float(classes)).expand(len(labels), classes)
    try:
        fixed = lossguard.fix("nll_loss", costs, target, **settings)
    except CannotFix:
        return False
    assert torch.equal(_loss(classes, fixed, **settings), _loss(classes, labels, **settings)), (target, fixed)
    return True


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("classes", CLASSES)
def test_fixed_labels_cost_what_the_true_labels_cost(dtype: torch.dtype, classes: int) -> None:
    edges = {0, 1, 2, 7, 8, 9, 15, 16, 17, 127, 128, 254, 255, 256, 257, 2047, 2048, 2049, classes - 1}
    # True is class 1, whatever was compared; and what torch takes as uint8 stays as it is.
    largest = {torch.bool: 1, torch.uint8: 255}.get(dtype, classes)
    values = sorted(value for value in edges if value < classes and value <= largest)
    for value in values:
        _assert_nothing_lost(torch.tensor([value]), dtype, classes)
    _assert_nothing_lost(torch.tensor(values), dtype, classes)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_labels_that_a_dtype_surely_holds_are_fixed(dtype: torch.dtype) -> None:
    """A refusal is safe but useless: where nothing can be lost, nothing is refused."""
    assert _assert_nothing_lost(torch.tensor([0, 1, 1, 0]), dtype, classes=2)
    if dtype is not torch.bool:
        assert _assert_nothing_lost(torch.tensor([0, 4, 2, 3, 1]), dtype, classes=5)


@pytest.mark.parametrize(
    ("dtype", "limit"),
    [(torch.float32, 2**24), (torch.float16, 2**11), (torch.bfloat16, 2**8), (torch.float8_e4m3fn, 2**4)],
)
def test_the_exact_limit_of_a_float_is_where_refusal_begins(dtype: torch.dtype, limit: int) -> None:
    costs = torch.zeros(1, 1).expand(1, limit + 2)
    below = torch.tensor([limit - 1]).to(dtype)
    assert lossguard.fix("nll_loss", costs, below).tolist() == [limit - 1]
    with pytest.raises(CannotFix) as refusal:
        lossguard.fix("nll_loss", costs, torch.tensor([limit + 1]).to(dtype))
    assert "LG209" in {finding.code for finding in refusal.value.report}


near_limits = st.sampled_from([0, 1, 3, 8, 16, 128, 256, 2048, 2**16, 2**24])


@st.composite
def labels_and_classes(draw: st.DrawFn) -> tuple[list[int], int]:
    """Labels near the limits of some dtype, and a class count that has room for them."""
    classes = max(1, draw(near_limits) + draw(st.integers(-3, 5)))
    near = st.builds(lambda base, step: base + step, near_limits, st.integers(-4, 4))
    label = (near | st.integers(0, classes - 1)).filter(lambda value: 0 <= value < classes)
    return draw(st.lists(label, min_size=1, max_size=6)), classes


@given(labels_and_classes(), st.sampled_from(DTYPES), st.sampled_from([None, -1, -100, 255, 2048, 2**24]), st.data())
def test_no_label_is_ever_lost(
    drawn: tuple[list[int], int], dtype: torch.dtype, ignore: int | None, data: st.DataObject
) -> None:
    """Any labels, some of them ignored, through any dtype, lossy ones too."""
    values, classes = drawn
    if dtype is torch.bool:
        values, ignore = [min(value, 1) for value in values], None
    if ignore is not None and data.draw(st.booleans()):
        values[data.draw(st.integers(0, len(values) - 1))] = ignore
    labels = torch.tensor(values)
    target = labels.to(dtype)
    costs = torch.zeros(1, 1).expand(len(labels), classes)
    settings = {} if ignore is None else {"ignore_index": ignore}
    try:
        fixed = lossguard.fix("nll_loss", costs, target, **settings)
    except CannotFix:
        return
    if fixed is target and dtype is torch.uint8:
        return  # torch takes uint8 as it is, and so it comes back as it is
    assert torch.equal(fixed.long(), labels), (target, fixed)


@given(st.integers(1, 4), st.integers(2, 5), st.sampled_from(DTYPES), st.booleans(), st.data())
def test_one_hot_rows_become_the_labels_they_were_made_from(
    rows: int, classes: int, dtype: torch.dtype, spoil: bool, data: st.DataObject
) -> None:
    labels = torch.tensor(data.draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows)))
    target = F.one_hot(labels, classes)
    if spoil:
        row, column = data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, classes - 1))
        target[row, column] = 1 - target[row, column]
    costs = -torch.arange(float(classes)).expand(rows, classes)
    try:
        fixed = lossguard.fix("nll_loss", costs, target.to(dtype))
    except CannotFix:
        assert spoil
        return
    assert not spoil
    assert torch.equal(fixed, labels)


@pytest.mark.parametrize("spoiled", [0, 700, 1501, 2999])
def test_one_row_that_is_not_one_hot_is_seen_among_thousands(spoiled: int) -> None:
    target = F.one_hot(torch.arange(3000) % 7, 7)
    for dtype in (torch.float32, torch.int64, torch.bool):
        assert lossguard.fix("nll_loss", torch.zeros(3000, 7), target.to(dtype)).tolist() == [
            number % 7 for number in range(3000)
        ]
    target[spoiled] = torch.tensor([0, 0, 1, 1, 0, 0, 0])
    for loss in ("nll_loss", "cross_entropy"):
        for dtype in (torch.float8_e4m3fn, torch.int64, torch.bool):
            # cross_entropy may still read the rows as class probabilities: all that counts is that none is cut.
            try:
                fixed = lossguard.fix(loss, torch.zeros(3000, 7), target.to(dtype))
            except CannotFix:
                continue
            assert torch.equal(fixed.long(), target)


def test_a_sound_target_comes_back_as_the_same_object() -> None:
    for target in (torch.tensor([0, 1, 2]), torch.tensor([0, 1, 2], dtype=torch.uint8), torch.eye(3)):
        assert lossguard.fix(F.cross_entropy, torch.randn(3, 3), target) is target


def test_grad_of_soft_targets_is_kept() -> None:
    logits = torch.randn(3, 4)
    soft = torch.randn(3, 4).softmax(1).requires_grad_()
    fixed = lossguard.fix("cross_entropy", logits, soft)
    assert fixed is soft
    F.cross_entropy(logits, fixed).backward()
    assert soft.grad is not None


def test_device_is_kept() -> None:
    """On meta there are no values, so only what needs none is fixed, and it stays on meta."""
    target = torch.empty(3, 1, dtype=torch.int64, device="meta")
    fixed = lossguard.fix("cross_entropy", torch.empty(3, 4, device="meta"), target)
    assert (fixed.device.type, tuple(fixed.shape)) == ("meta", (3,))
    with pytest.raises(CannotFix):
        lossguard.fix("cross_entropy", torch.empty(3, 4, device="meta"), torch.empty(3, device="meta"))


def test_two_faults_are_fixed_together() -> None:
    target = torch.tensor([[1.0], [3.0], [-100.0]])
    assert lossguard.fix(nn.CrossEntropyLoss(), torch.randn(3, 4), target).tolist() == [1, 3, -100]


def test_the_argument_is_left_as_it_was() -> None:
    target = torch.tensor([1.0, 3.0])
    lossguard.fix("cross_entropy", torch.randn(2, 4), target)
    assert (target.dtype, target.tolist()) == (torch.float32, [1.0, 3.0])


@pytest.mark.parametrize(
    ("target", "code"),
    [
        (torch.tensor([1.0, float("nan"), 2.0]), "LG203"),
        (torch.tensor([1.0, float("inf"), 2.0]), "LG203"),
        (torch.tensor([1.0, 1.7, 2.0]), "LG204"),
        (torch.tensor([1, 2, 4]), "LG201"),
        (torch.tensor([1, 255, 2]), "LG202"),
        (torch.tensor([1.0, 255.0, 2.0]), "LG202"),
        (torch.tensor([1.0, float("nan"), 2.0]).long(), "LG213"),
        (torch.tensor([1, 2]), "LG403"),
        ([1, 2, 3], "LG502"),
        (None, "LG502"),
    ],
)
def test_what_is_a_decision_is_refused(target: Any, code: str) -> None:
    with pytest.raises(CannotFix) as refusal:
        lossguard.fix("cross_entropy", torch.randn(3, 4), target)
    assert code in {finding.code for finding in refusal.value.report}


def test_a_refusal_carries_report_positions_and_values_and_pickles() -> None:
    with pytest.raises(CannotFix) as caught:
        lossguard.fix("cross_entropy", torch.randn(3, 4), torch.tensor([1.0, 2.5, 0.25]))
    refusal = caught.value
    assert refusal.positions == ((1,), (2,))
    assert refusal.values == (2.5, 0.25)
    assert "LG204" in str(refusal)
    copy = pickle.loads(pickle.dumps(refusal))  # noqa: S301 - our own bytes
    assert (copy.report, copy.reason, copy.positions) == (refusal.report, refusal.reason, refusal.positions)


def test_a_fault_outside_the_target_is_said_to_be_there() -> None:
    with pytest.raises(CannotFix, match="not in the target"):
        lossguard.fix("cross_entropy", torch.ones(3, 4).long(), torch.tensor([1.0, 2.0, 3.0]))


def test_a_loss_that_comes_out_nan_is_no_matter_of_fixing() -> None:
    target = torch.tensor([-100, -100])
    assert lossguard.fix("cross_entropy", torch.randn(2, 4), target) is target


def _loss_of(name: str, given: torch.Tensor, target: torch.Tensor, **settings: Any) -> torch.Tensor:
    """The loss, looked up when it is called, with the gradient of its input in place of the number."""
    given = given.clone().requires_grad_()
    loss: torch.Tensor = getattr(F, name)(given, target, **settings)
    (gradient,) = torch.autograd.grad(loss.sum(), given)
    return torch.cat([loss.detach().flatten(), gradient.flatten()])


#: Pairs of shapes, each with whether the target can be given the input's shape by one axis of size 1.
PAIRS = [
    ((4, 1), (4,), True),
    ((4,), (4, 1), True),
    ((1, 4), (4,), True),
    ((4,), (1, 4), True),
    ((2, 1, 3, 3), (2, 3, 3), True),
    ((2, 3, 3), (2, 1, 3, 3), True),
    ((1,), (), True),
    ((), (1,), True),
    ((1, 1), (1,), True),
    ((4, 2), (4,), False),
    ((4, 2), (2,), False),
    ((4, 2), (2, 4), False),
    ((2, 2), (4,), False),
    ((4,), (2, 2), False),
    ((4, 1), (3,), False),
    ((4, 1), (1, 4), False),
    ((4, 2), (4, 2, 2), False),
]


@pytest.mark.parametrize("reduction", ["mean", "none"])
@pytest.mark.parametrize("name", ["binary_cross_entropy", "binary_cross_entropy_with_logits"])
@pytest.mark.parametrize(("shape", "wrong", "lossless"), PAIRS, ids=str)
def test_sizes_that_torchs_python_code_refuses(
    name: str, reduction: str, shape: tuple[int, ...], wrong: tuple[int, ...], lossless: bool
) -> None:
    """One axis of size 1 too many or too few is fixed; whatever would pair other values is refused as before."""
    given, target = torch.rand(shape) * 0.8 + 0.1, torch.randint(2, wrong)
    settings = {"reduction": reduction}
    for dtype in (torch.float32, torch.float64, torch.int64, torch.bool):
        with lossguard.guard(fix=True) as watch:
            if not lossless:
                with pytest.raises(ValueError, match="size"):
                    _loss_of(name, given, target.to(dtype), **settings)
                assert not any(finding.evidence.get("fixed") for finding in watch.report)
                continue
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                fixed = _loss_of(name, given, target.to(dtype), **settings)
        assert sum("LG401" in str(warning.message) for warning in said) == 1
        assert all("fixed" in str(warning.message) for warning in said)
        # In float64 a target makes the loss of BCE with logits a float64, and fixing keeps that.
        kept = target.to(dtype if dtype.is_floating_point and "logits" in name else torch.float32)
        assert torch.equal(fixed, _loss_of(name, given, kept.reshape(shape), **settings))


@pytest.mark.parametrize("weight", [(4, 1), (1,), (1, 1)])
@pytest.mark.parametrize("place", ["weight", "pos_weight"])
def test_weights_that_fit_the_fixed_target_stay(place: str, weight: tuple[int, ...]) -> None:
    given, target, settings = torch.randn(4, 1), torch.rand(4), {place: torch.rand(weight)}
    with lossguard.guard(fix=True), pytest.warns(lossguard.LossWarning, match="LG401"):
        fixed = _loss_of("binary_cross_entropy_with_logits", given, target, **settings)
    truth = _loss_of("binary_cross_entropy_with_logits", given, target.unsqueeze(1), **settings)
    assert torch.equal(fixed, truth)


@pytest.mark.parametrize(
    ("place", "weight"), [("weight", (4,)), ("pos_weight", (4,)), ("weight", (3, 1))], ids=["weight", "pos", "short"]
)
def test_weights_that_would_not_fit_the_fixed_target_forbid_it(place: str, weight: tuple[int, ...]) -> None:
    """(4,) against a fixed (4, 1) would weigh every value with every weight."""
    given, target, settings = torch.randn(4, 1), torch.rand(4), {place: torch.rand(weight)}
    with lossguard.guard(fix=True) as watch, pytest.raises(ValueError, match="must be the same"):
        _loss_of("binary_cross_entropy_with_logits", given, target, **settings)
    assert {finding.code for finding in watch.report} == {"LG401", "LG407"}


@pytest.mark.parametrize(
    ("target", "code"),
    [
        (torch.tensor([0.0, 2.0, 1.0, 1.0]), "LG205"),
        (torch.tensor([0.0, float("nan"), 1.0, 1.0]), "LG203"),
        (torch.rand(4, dtype=torch.float64) * 1e-9 + 0.1, "LG105"),
    ],
    ids=["outside", "NaN", "float64"],
)
def test_a_second_fault_that_would_lose_something_forbids_the_first_fix(target: torch.Tensor, code: str) -> None:
    with lossguard.guard(fix=True) as watch, pytest.raises(ValueError, match="different to the input size"):
        F.binary_cross_entropy(torch.rand(4, 1), target)
    assert {finding.code for finding in watch.report} >= {"LG401", code}
