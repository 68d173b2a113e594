"""A fix is a claim: it is applied, judged and run before it is shown, and what is known to be wrong is never shown."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn

import lossguard
from lossguard import CannotFix
from lossguard.findings import Finding, Fix

CLASSES = torch.tensor([0, 1, 2, 3, 4, 0, 1, 2])


def found(code: str, loss: Any, *args: Any, **kwargs: Any) -> Finding:
    """The finding with this code."""
    report = lossguard.check(loss, *args, **kwargs)
    (finding,) = [finding for finding in report if finding.code == code]
    return finding


def shown(finding: Finding) -> list[str]:
    """The fixes as they are shown: code, or words."""
    return [fix.code or fix.title for fix in finding.fixes]


def applied(fix: Fix, **arguments: Any) -> Any:
    """What the code of a fix gives."""
    return eval(fix.code, {"torch": torch, "F": F, "nn": nn, **arguments})


def test_a_safe_fix_says_how_it_was_checked() -> None:
    (fix,) = found("LG101", "nll_loss", torch.randn(8, 5).log_softmax(1), CLASSES.float()).fixes
    assert (fix.tag, fix.code) == ("safe", "target.long()")
    assert fix.checked == "the loss takes all 8 labels of this batch"


def test_where_nothing_can_be_run_a_fix_is_unchecked() -> None:
    (fix,) = found("LG102", "nll_loss", torch.randn(8, 5, device="meta"), CLASSES.int().to("meta")).fixes
    assert (fix.tag, fix.checked) == ("unchecked", "")


def test_two_faults_of_one_argument_have_one_fix_that_is_run() -> None:
    report = lossguard.check("cross_entropy", torch.randn(8, 5), CLASSES.float().unsqueeze(1))
    assert {fix.code for finding in report for fix in finding.fixes} == {"target.squeeze(1).long()"}
    assert all(fix.tag == "safe" for finding in report for fix in finding.fixes)


@pytest.mark.parametrize(
    ("target", "settings", "tag", "code"),
    [
        (torch.arange(1.0, 6.0).repeat(2), {}, "decision", "(target - 1).long()"),
        (
            torch.tensor([0.0, 1, 255, 2, 3, 4, 0, 1, 2, 3]).unsqueeze(1),
            {},
            "decision",
            "ignore_index=255, target=target.squeeze(1).long()",
        ),
        (
            torch.arange(10.0) % 5,
            {"weight": torch.ones(5, dtype=torch.float64)},
            "safe",
            "target=target.long(), weight=weight.to(input.dtype)",
        ),
    ],
    ids=["dtype and range", "dtype, shape and sentinel", "two arguments"],
)
def test_faults_that_need_several_changes_have_one_fix_with_all_of_them(
    target: torch.Tensor, settings: dict[str, Any], tag: str, code: str
) -> None:
    fix = found("LG101", "cross_entropy", torch.randn(10, 5), target, **settings).fixes[0]
    assert (fix.tag, fix.code) == (tag, code)
    assert fix.checked == "the loss takes all 10 labels of this batch"


def test_no_joined_fix_cuts_labels() -> None:
    """Fractions are cut by a cast, with or without another change."""
    report = lossguard.check("cross_entropy", torch.randn(4, 5), torch.tensor([[0.5], [1], [2], [3]]))
    assert not any("long()" in fix.code for finding in report for fix in finding.fixes if fix.checked)


def test_a_fix_that_fails_is_not_shown() -> None:
    """Labels from 1 to 5 with a 0 among them: taking 1 off makes -1."""
    finding = found("LG201", "cross_entropy", torch.randn(9, 5), torch.tensor([0, 1, 2, 3, 4, 5, 5, 5, 5]))
    assert not any("- 1" in code for code in shown(finding))


def test_class_weights_are_not_thrown_away() -> None:
    finding = found("LG407", "cross_entropy", torch.randn(8, 5), CLASSES, weight=torch.rand(4))
    assert not any("ones" in code for code in shown(finding))
    column = found("LG407", "cross_entropy", torch.randn(8, 5), CLASSES, weight=torch.rand(5, 1))
    assert column.fixes[0].code == "weight.flatten()"


@pytest.mark.parametrize("loss", ["cross_entropy", "nll_loss"])
def test_swapped_arguments_are_swapped_back(loss: str) -> None:
    report = lossguard.check(loss, CLASSES, torch.randn(8, 5).log_softmax(1))
    best = report.findings[0].fixes[0]
    assert (best.title, best.code, best.tag) == ("swap input and target", f"F.{loss}(target, input)", "safe")


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_several_labels_at_once_are_a_case_for_binary_cross_entropy(dtype: torch.dtype) -> None:
    target = torch.tensor([[1, 1, 0], [0, 1, 1], [1, 0, 0]], dtype=dtype)
    report = lossguard.check("cross_entropy", torch.randn(3, 3), target)
    codes = [code for finding in report for code in shown(finding)]
    assert any(code.startswith("F.binary_cross_entropy_with_logits(") for code in codes)
    assert not any("sum(1" in code for code in codes)


def test_a_log_softmax_along_the_wrong_axis_is_not_put_through_another() -> None:
    scores = nn.Linear(4, 5)(torch.randn(8, 4)).log_softmax(0)
    finding = found("LG301", "nll_loss", scores, CLASSES)
    assert shown(finding) == ["let log_softmax go along axis 1"]


def test_looking_for_the_fault_is_no_fix() -> None:
    scores = torch.randn(8, 5)
    scores[2, 3] = float("nan")
    assert not any("anomaly" in code for code in shown(found("LG207", "cross_entropy", scores, CLASSES)))


def test_a_loss_of_probabilities_under_autocast_is_not_cast() -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        report = lossguard.check("binary_cross_entropy", torch.rand(4).bfloat16(), torch.ones(4))
    assert not any(".float()" in code for finding in report for code in shown(finding))


def test_divergence_is_not_replaced_by_cross_entropy() -> None:
    probabilities = torch.randn(8, 5).softmax(1)
    for given in (torch.randn(8, 5) * 3, probabilities):
        report = lossguard.check("kl_div", given, probabilities, reduction="batchmean")
        assert report
        assert not any("cross_entropy" in code for finding in report for code in shown(finding))


def test_one_bad_label_among_hundreds_does_not_make_the_layer_too_small() -> None:
    target = torch.arange(800) % 5
    target[77] = 5
    finding = found("LG201", "cross_entropy", torch.randn(800, 5), target)
    assert "one class short" not in finding.cause
    assert shown(finding)[0] == "correct or leave out these samples"


@pytest.mark.parametrize("value", [-9, -2, -400])
def test_negative_labels_are_not_moved_down(value: int) -> None:
    report = lossguard.check("cross_entropy", torch.randn(8, 5), torch.where(CLASSES == 1, value, CLASSES))
    assert not any("- 1" in code for finding in report for code in shown(finding))
    text = f'  File "a.py", line 5, in f\n    F.cross_entropy(x, y)\nIndexError: Target {value} is out of bounds.'
    assert not any("- 1" in code for finding in lossguard.explain(text) for code in shown(finding))


def test_the_weight_is_moved_when_it_is_the_weight_that_is_elsewhere() -> None:
    text = (
        "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! "
        "(when checking argument for argument weight in method wrapper_CUDA_nll_loss_forward)"
    )
    fixes = lossguard.explain(text).findings[0].fixes
    assert not any(fix.code.startswith("target.") for fix in fixes)
    assert fixes[0].code.startswith("loss_fn")


def test_no_tokenizer_is_advised_for_the_one_hot_rows_of_a_mask() -> None:
    line = "    rows = F.one_hot(mask, 3)\nRuntimeError: Class values must be smaller than num_classes."
    finding = lossguard.explain(
        f'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n{line}'
    ).findings[0]
    assert finding.code == "LG210"
    assert not any("tokenizer" in code or "Embedding" in code for code in shown(finding))
    assert "num_classes=256" in shown(found("LG210", F.one_hot, torch.tensor([0, 1, 255]), 3))


@pytest.mark.parametrize("factor", [5, 4, 255])
def test_a_scaled_mask_is_scaled_back_by_what_it_was_divided_by(factor: int) -> None:
    labels = torch.arange(5).repeat(4)
    target = labels / factor
    finding = found("LG204", "cross_entropy", torch.randn(20, 5), target)
    assert finding.fixes[0].code == f"(target * {factor}).round().long()"
    assert torch.equal(applied(finding.fixes[0], target=target), labels)


def test_fractions_of_nothing_are_not_scaled() -> None:
    target = torch.rand(20)
    assert not any("round" in code for code in shown(found("LG204", "cross_entropy", torch.randn(20, 5), target)))


def test_rows_of_zeros_are_not_divided_by_their_sum() -> None:
    target = torch.tensor([[0.0, 0.0, 0.0], [0.5, 0.7, 0.2]])
    finding = found("LG304", "cross_entropy", torch.randn(2, 3), target)
    assert not any("sum" in code for code in shown(finding))


def test_missing_labels_are_left_out_by_code_that_runs() -> None:
    target = CLASSES.float()
    target[3] = float("nan")
    scores = torch.randn(8, 5)
    for fix in found("LG203", "cross_entropy", scores, target).fixes:
        assert fix.tag == "decision"
        assert fix.checked
    assert "the 7 others" in found("LG203", "cross_entropy", scores, target).fixes[0].checked


def test_settings_that_carry_weights_are_kept_when_a_fix_is_checked() -> None:
    loss = nn.CrossEntropyLoss(weight=torch.rand(5), ignore_index=7)
    report = lossguard.check(loss, torch.randn(8, 5), torch.where(CLASSES == 1, 255, CLASSES))
    assert report.findings[0].fixes[0].code == "ignore_index=255"
    assert report.findings[0].fixes[0].checked


@pytest.mark.parametrize(
    ("loss", "values"),
    [
        ("binary_cross_entropy_with_logits", [0.0, 65536.0]),
        ("huber_loss", [1.0, 2.0**17]),
        ("binary_cross_entropy", [1.0, 1e-8]),
        ("huber_loss", [1.0, 3.0e38]),
        ("binary_cross_entropy_with_logits", [0.5, 2.0**-25]),
    ],
)
def test_bfloat16_does_not_fit_into_float16(loss: str, values: list[float]) -> None:
    target = torch.tensor(values, dtype=torch.bfloat16)
    try:
        fixed = lossguard.fix(loss, torch.rand(2).half(), target)
    except CannotFix:
        return
    assert fixed.double().tolist() == target.double().tolist()


def test_bfloat16_that_fits_into_float16_is_fixed() -> None:
    target = torch.tensor([0.0, 1.0, 0.5], dtype=torch.bfloat16)
    assert lossguard.fix("huber_loss", torch.rand(3).half(), target).tolist() == [0.0, 1.0, 0.5]


@pytest.mark.parametrize("value", [2**64 - 1, 2**63, 2**63 + 7])
@pytest.mark.parametrize("operation", ["take", "take_along_dim", "index_fill", "getitem", "gather", "index_select"])
def test_an_index_beyond_int64_never_becomes_a_negative_one(operation: str, value: int) -> None:
    values, index = torch.arange(5.0), torch.tensor([value], dtype=torch.uint64)
    arguments = {
        "take": (values, index),
        "take_along_dim": (values, index, 0),
        "index_fill": (values, 0, index, 1.0),
        "getitem": (values, index),
        "gather": (values, 0, index),
        "index_select": (values, 0, index),
    }[operation]
    with pytest.raises(CannotFix):
        lossguard.fix(operation, *arguments)
    report = lossguard.check(operation, *arguments)
    assert not any(fix.tag == "safe" for finding in report for fix in finding.fixes)


def test_guards_leave_an_index_beyond_int64_to_torch() -> None:
    index = torch.tensor([2**64 - 1], dtype=torch.uint64)
    with lossguard.guard(fix=True), pytest.raises((RuntimeError, IndexError)):
        torch.take(torch.arange(5.0), index)


@pytest.mark.parametrize("shape", [(1,), (1, 3), (2, 3)])
@pytest.mark.parametrize("loss", ["nll_loss", "cross_entropy"])
def test_one_hot_rows_that_two_axes_explain_are_refused(shape: tuple[int, ...], loss: str) -> None:
    """Every label once in each row: read along the other axis, the rows would be other labels."""
    labels = torch.tensor([1, 2, 0]).expand(*shape[:-1], 3).contiguous()
    if labels.ndim == 1:
        labels = labels.unsqueeze(0)
    scores = torch.zeros(labels.shape[0], 3, 3).log_softmax(1)
    rows = F.one_hot(labels, 3)
    with pytest.raises(CannotFix):
        lossguard.fix(loss, scores, rows)
    finding = lossguard.check(loss, scores, rows).findings[0]
    assert sorted(code for code in shown(finding) if "argmax" in code) == ["target.argmax(1)", "target.argmax(2)"]
    assert not any(fix.tag == "safe" for fix in finding.fixes)


def test_one_hot_rows_that_one_axis_explains_are_read_along_it() -> None:
    labels = torch.tensor([[1, 1, 0]])
    scores = torch.zeros(1, 3, 3).log_softmax(1)
    assert torch.equal(lossguard.fix("nll_loss", scores, F.one_hot(labels, 3)), labels)
    assert torch.equal(lossguard.fix("nll_loss", scores, F.one_hot(labels, 3).movedim(-1, 1)), labels)


@pytest.mark.parametrize(
    ("loss", "scores", "target"),
    [
        ("multilabel_margin_loss", torch.rand(()), torch.tensor([1], dtype=torch.int32)),
        ("multilabel_margin_loss", torch.rand(0), torch.zeros(0, dtype=torch.int32)),
        ("poisson_nll_loss", torch.rand(4), torch.ones(4).to(torch.float8_e5m2)),
        ("soft_margin_loss", torch.rand(4), torch.ones(4, dtype=torch.complex64)),
        ("multi_margin_loss", torch.rand(()), torch.tensor([1], dtype=torch.int16)),
    ],
)
def test_what_is_fixed_is_taken_by_torch(loss: str, scores: torch.Tensor, target: torch.Tensor) -> None:
    try:
        fixed = lossguard.fix(loss, scores, target)
    except CannotFix:
        return
    getattr(F, loss)(scores, fixed)


def test_no_escape_of_a_terminal_comes_through_a_refusal() -> None:
    odd = type("\x1b]0;title\x07\x1b[31mX", (), {})
    for arguments in ((odd(), torch.tensor([1])), (torch.randn(2, 3), odd())):
        with pytest.raises(CannotFix) as refusal:
            lossguard.fix("cross_entropy", *arguments)
        assert "\x1b" not in str(refusal.value)
        assert "\x07" not in str(refusal.value)
