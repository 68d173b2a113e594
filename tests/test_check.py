"""`check`: bad data never raises, misuse always does; a name, a function and a module are one contract."""

from __future__ import annotations

import functools
import sys
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn

import lossguard
from lossguard import UnknownLoss
from lossguard.contracts.call import read_call

LOGITS, LABELS = torch.randn(4, 5), torch.tensor([0, 1, 2, 4])


@pytest.mark.parametrize(
    ("loss", "nearest"),
    [
        ("nll_los", "nll_loss"),
        ("nllloss", "nll_loss"),
        ("NLLloss", "NLLLoss"),
        ("crossentropy", "cross_entropy"),
        ("torch.nn.CrossEntropy", "CrossEntropyLoss"),
        ("cross_entropi", "cross_entropy"),
        ("zzz", "nll_loss"),
    ],
)
def test_an_unknown_loss_names_the_nearest(loss: str, nearest: str) -> None:
    with pytest.raises(UnknownLoss, match=nearest):
        lossguard.check(loss, LOGITS, LABELS)


@pytest.mark.parametrize(
    ("loss", "args", "kwargs", "said"),
    [
        ("nll_loss", (LOGITS,), {}, "needs target"),
        ("nll_loss", (), {}, "needs input, target"),
        ("nll_loss", (LOGITS, LABELS), {"labels": 1}, "no argument 'labels'; it has input, target"),
        ("nll_loss", (LOGITS, LABELS), {"target": LABELS}, "'target' twice"),
        ("nll_loss", (LOGITS, LABELS), {"label_smoothing": 0.1}, "no argument 'label_smoothing'"),
        (nn.NLLLoss(), (LOGITS, LABELS), {"ignore_index": 3}, "no argument 'ignore_index'"),
        (nn.NLLLoss(), (LOGITS, LABELS, LABELS), {}, "takes 2 arguments"),
        (3, (LOGITS, LABELS), {}, "a loss is a name, a function or a module; this is int"),
    ],
)
def test_misuse_raises_and_says_what_is_right(loss: Any, args: Any, kwargs: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        lossguard.check(loss, *args, **kwargs)


def _my_loss(input: Any, target: Any) -> Any:  # noqa: A002 - the names that torch has
    return F.nll_loss(input, target)


class _Focal(nn.CrossEntropyLoss):
    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:  # noqa: A002 - the names that torch has
        return super().forward(input, target) ** 2


class _Renamed(nn.CrossEntropyLoss):
    """A subclass that changes nothing about the call."""


@pytest.mark.parametrize("loss", [_my_loss, _Focal(), nn.Linear(3, 3), len, torch.relu])
def test_what_is_no_loss_of_torch_is_said_to_be_none(loss: Any) -> None:
    with pytest.raises(UnknownLoss):
        lossguard.check(loss, LOGITS, LABELS)


WEIGHT = torch.rand(5)
SPELLINGS: list[tuple[Any, dict[str, Any]]] = [
    ("cross_entropy", {"weight": WEIGHT, "ignore_index": 255}),
    ("F.cross_entropy", {"weight": WEIGHT, "ignore_index": 255}),
    ("CrossEntropyLoss", {"weight": WEIGHT, "ignore_index": 255}),
    ("nn.CrossEntropyLoss", {"weight": WEIGHT, "ignore_index": 255}),
    (F.cross_entropy, {"weight": WEIGHT, "ignore_index": 255}),
    (nn.CrossEntropyLoss(weight=WEIGHT, ignore_index=255), {}),
    (nn.CrossEntropyLoss(weight=WEIGHT, ignore_index=255).forward, {}),
    (_Renamed(weight=WEIGHT, ignore_index=255), {}),
    (functools.partial(F.cross_entropy, weight=WEIGHT, ignore_index=255), {}),
    (functools.partial(functools.partial(F.cross_entropy, weight=WEIGHT), ignore_index=255), {}),
]


@pytest.mark.parametrize(("loss", "settings"), SPELLINGS)
def test_every_spelling_gives_the_same_contract(loss: Any, settings: dict[str, Any]) -> None:
    from dataclasses import replace

    first = read_call(SPELLINGS[0][0], (LOGITS, LABELS), SPELLINGS[0][1])
    call = read_call(loss, (LOGITS, LABELS), settings)
    assert replace(call.contract, shown="") == replace(first.contract, shown="")
    assert call.arguments == first.arguments
    target = torch.tensor([0, 1, 255, 9])
    codes = [finding.code for finding in lossguard.check(loss, LOGITS, target, **settings)]
    assert codes == ["LG201"]


def test_retired_flags_are_read_as_torch_reads_them() -> None:
    for flags, reduction in (
        ({"reduce": False}, "none"),
        ({"size_average": False}, "sum"),
        ({"size_average": True}, "mean"),
    ):
        assert read_call("nll_loss", (LOGITS, LABELS), flags).contract.reduction == reduction


def test_one_fault_is_one_finding_and_two_are_two() -> None:
    one_hot = F.one_hot(LABELS, 5).float()
    log_probs = LOGITS.log_softmax(1)
    assert [f.code for f in lossguard.check("nll_loss", log_probs, one_hot)] == ["LG402"]
    assert [f.code for f in lossguard.check("nll_loss", log_probs, LABELS.float()[:, None])] == ["LG101", "LG401"]
    assert [f.code for f in lossguard.check("nll_loss", log_probs, LABELS.float())] == ["LG101"]


def test_an_error_comes_before_a_warning() -> None:
    report = lossguard.check("nll_loss", torch.randn(64, 5) * 9, torch.randint(5, (64,)).int())
    assert [finding.severity for finding in report] == ["error"] * sum(f.is_error for f in report) + ["warning"] * sum(
        not f.is_error for f in report
    )
    assert report.findings[0].code == "LG102"


def test_a_tiny_input_is_never_called_logits_for_sure() -> None:
    """One row that happens to look like something is possible, not certain."""
    for given in (torch.tensor([[0.3, 0.7]]), torch.tensor([[2.0, -1.0]])):
        for finding in lossguard.check("nll_loss", given, torch.tensor([0])):
            if finding.code == "LG302":
                assert finding.certainty == "possible"


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_log_probabilities_of_any_dtype_pass_for_what_they_are(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    for classes in (2, 10, 1000):
        given, target = (torch.randn(50, classes) * 3).to(dtype).log_softmax(1), torch.randint(classes, (50,))
        try:
            torch.nn.functional.nll_loss(given, target)
        except RuntimeError:
            pytest.skip(f"this torch has no kernel for {dtype}")
        assert lossguard.check("nll_loss", given, target).verdict == "sound"


def test_without_the_deep_look_the_input_is_not_read() -> None:
    logits = torch.full((4, 5), float("nan"))
    assert lossguard.check("cross_entropy", logits, LABELS, deep=False).verdict == "sound"
    assert lossguard.check("cross_entropy", logits, LABELS).verdict == "broken"


def test_nothing_is_changed_by_a_check() -> None:
    logits, target = torch.randn(4, 5, requires_grad=True), LABELS.float()
    before = logits.detach().clone(), target.clone()
    state = torch.get_rng_state()
    lossguard.check("cross_entropy", logits, target)
    assert torch.equal(before[0], logits)
    assert torch.equal(before[1], target)
    assert logits.grad is None
    assert torch.equal(state, torch.get_rng_state())


def test_a_light_check_stays_light() -> None:
    """Calls are counted, not seconds: a busy machine makes no difference. `make bench` has the seconds."""
    calls = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    lossguard.check(F.cross_entropy, LOGITS, LABELS, deep=False)
    sys.setprofile(count)
    try:
        lossguard.check(F.cross_entropy, LOGITS, LABELS, deep=False)
    finally:
        sys.setprofile(None)
    assert calls < 3000


def test_contract_is_remembered_by_value_and_type() -> None:
    x, y = torch.randn(4, 3), torch.tensor([0, 1, 2, 1])
    for smoothing, codes in ((0, []), (False, ["LG505"]), (0.0, []), (0, []), (False, ["LG505"])):
        report = lossguard.check("cross_entropy", x, y, label_smoothing=smoothing)
        assert [finding.code for finding in report.findings] == codes, smoothing


def test_a_target_made_all_with_all_is_told_from_several_targets_for_each_prediction() -> None:
    predictions, values, rewards = torch.randn(8, 1), torch.randn(8, 1), torch.randn(8)
    assert [found.code for found in lossguard.check("smooth_l1_loss", predictions, rewards + values)] == ["LG406"]
    assert [found.code for found in lossguard.check("mse_loss", predictions.squeeze(1), rewards + values)] == ["LG406"]
    assert not lossguard.check("mse_loss", predictions, torch.randn(8, 3)).findings
    assert not lossguard.check("mse_loss", torch.randn(1, 1), torch.randn(1, 1)).findings


@pytest.mark.parametrize("label", [float("inf"), 1e30, 2.0**62, 2.0**40])
def test_a_label_that_no_layer_could_have_a_class_for_gets_no_wider_layer(label: float) -> None:
    report = lossguard.check("cross_entropy", torch.randn(4, 3), torch.tensor([0.0, 1.0, 2.0, label]))
    assert report.verdict == "broken"
    assert not [fix.title for finding in report for fix in finding.fixes if "outputs" in fix.title]


def test_one_label_far_beyond_the_classes_is_a_slip_and_no_reason_for_more_classes() -> None:
    labels = torch.tensor([0, 3, 1, 2, 4, 77, 0, 1])
    finding = lossguard.check("cross_entropy", torch.randn(8, 5), labels).findings[0]
    assert "slip in the data" in finding.cause
    assert [fix.title for fix in finding.fixes] == ["correct or leave out these samples"]
    many = lossguard.check("cross_entropy", torch.randn(8, 5), labels.where(labels < 2, 77 - labels)).findings[0]
    assert "outputs" in many.fixes[0].title


def test_opinions_of_minus_one_zero_and_one_are_three_classes() -> None:
    logits, opinions = torch.randn(12, 3), torch.tensor([-1, 0, 1] * 4)
    (finding,) = lossguard.check("cross_entropy", logits, opinions).findings
    assert finding.code == "LG202"
    assert "count from -1" in finding.cause
    assert [fix.code for fix in finding.fixes][:2] == ["target + 1", "ignore_index=-1"]
    padded = torch.tensor([-1, 0, 1, 2] * 3)
    (finding,) = lossguard.check("cross_entropy", logits, padded).findings
    assert [fix.code for fix in finding.fixes] == ["ignore_index=-1"]
