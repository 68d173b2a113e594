"""What other libraries say, what a loss shows in a log, and code without an error."""

from __future__ import annotations

import re

import pytest

import lossguard
from lossguard.explain.checks import CHECKS
from lossguard.explain.choices import CHOICES
from lossguard.explain.libraries import text_at
from lossguard.explain.libraries.table import TEXTS
from lossguard.explain.libraries.text import Text
from lossguard.explain.symptoms import SYMPTOMS
from lossguard.rules.registry import all_rules
from lossguard.rules.saying import anchors, bare, to_pattern

#: What a text of the table says when it is printed: each hole is filled with something it may hold.
FILLED = {
    "word": "abc_cpu",
    "kernel": "_cpu",
    "dtype": "long",
    "": "something",
    "kind": "float",
    "float": "float",
    "device": "cpu",
}


def _printed(template: str) -> str:
    """A template as it may be printed."""

    def fill(hole: re.Match[str]) -> str:
        inside = hole[1]
        if inside.startswith("?"):
            return inside[1:]
        if "|" in inside:
            return inside.partition("|")[0]
        name, _, kind = inside.partition(":")
        kind = kind or name.rpartition("_")[2]
        return {"half": "Half", "whole": "Long"}.get(kind, FILLED.get(kind, "7"))

    return re.sub(r"\{([^{}]*)\}", fill, template)


@pytest.mark.parametrize("row", TEXTS, ids=lambda row: row.shows[:40])
def test_each_text_of_a_library_leads_to_its_fault(row: Text) -> None:
    assert re.search(to_pattern(row.shows), bare(_printed(row.shows)))
    assert len(anchors(row.shows)[0]) >= 4
    if not row.needs:
        codes = [finding.code for finding in lossguard.explain(f"ValueError: {_printed(row.shows)}")]
        wanted = {rule.code for rule in all_rules() if type(rule).__module__.endswith(row.causes[0][0])}
        assert wanted & set(codes[:3]), codes


def test_a_text_is_found_by_its_number() -> None:
    """The index counts through all files, and loads the one that has the text."""
    assert [text_at(number) for number in range(len(TEXTS))] == list(TEXTS)
    with pytest.raises(IndexError):
        text_at(len(TEXTS))


def test_the_tables_name_rules_that_are_there() -> None:
    modules = {type(rule).__module__.removeprefix("lossguard.rules.") for rule in all_rules()}
    named = {module for row in TEXTS for module, _ in row.causes} | {row.module for row in SYMPTOMS}
    named |= {module for check in CHECKS for module, _ in check.causes}
    assert named <= modules
    assert {row.rule for row in CHOICES} <= {rule.code for rule in all_rules()}


TRACEBACK = (
    "Traceback (most recent call last):\n"
    '  File "fit.py", line 12, in <module>\n    loss = criterion(out, masks)\n'
    '  File "/site-packages/some_losses/dice.py", line 60, in forward\n    {check}\nAssertionError'
)


@pytest.mark.parametrize(
    ("check", "code"),
    [
        ("assert y_true.size(0) == y_pred.size(0)", "LG405"),
        ("assert target.dim() == 1", "LG405"),
        ("assert target.dtype == torch.long", "LG101"),
        ("assert cls_score.size(-1) == self.num_classes", "LG405"),
        ("assert torch.max(targets) < num_classes", "LG201"),
        ("assert target[i].min() >= 0 and target[i].max() <= logits[i].size(1)", "LG201"),
        ("assert not torch.isnan(loss)", "LG207"),
        ("assert len(x) == 3", None),
        ("assert attention_mask.shape == (bsz, 1, q_len)", None),
    ],
)
def test_a_check_that_failed_without_a_message_speaks_for_itself(check: str, code: str | None) -> None:
    found = lossguard.explain(TRACEBACK.format(check=check), source=False).findings
    assert [finding.code for finding in found][:1] == ([code] if code else [])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            "the outputs are of shape (16L, 19L, 512L, 256L), the labels (16L, 512L, 256L, 3L): Assertion errors",
            "LG405",
        ),
        ("loss_fn = DiceLoss(mode='multiclass')\ny_pred.size(): (5, 4, 9, 9)\ny_true.size(): (5, 4, 9, 9)", "LG402"),
        ("cross entropy error: output torch.Size([4, 9, 9, 3]), target torch.Size([4, 9, 9])", "LG404"),
        ("the mse loss differs: predictions of (bs, 1), targets of (bs,)", "LG406"),
        ("my loss: logits [8, 5], labels [6, 5]", "LG403"),
        ("my loss: logits [8, 5], labels [8]", None),
        ("my mse loss: output (8, 5), target (8, 5)", None),
    ],
)
def test_shapes_that_a_text_names_are_compared(text: str, code: str | None) -> None:
    found = lossguard.explain(text).findings
    assert [finding.code for finding in found][:1] == ([code] if code else [])
    assert all(finding.certainty == "possible" for finding in found)


def test_a_text_of_a_library_names_it_and_what_to_look_at() -> None:
    (first, *_) = lossguard.explain("AssertionError: Label class 60 exceeds nc=4 in data.yaml.")
    assert first.torch_says.startswith("Ultralytics: AssertionError: Label class 60")
    assert "yaml" in first.fixes[0].title


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Iteration 10 loss: -12.31\nIteration 20 loss: -203.2\ncriterion = nn.BCELoss()", "LG205"),
        ("train loss -0.23\ntrain loss -0.54\ncriterion = nn.NLLLoss(), model ends in nn.Softmax(dim=1)", "LG302"),
        ("F.nll_loss of the last linear layer: loss = -6.8", "LG301"),
        ("loss_fn = nn.KLDivLoss()\nloss_fn(output.log(), target)\n-> tensor(-0.0648)", "LG304"),
        ("ctc loss = inf\ninput_lengths tensor([113]) target_lengths tensor([149])", "LG408"),
        ("step 118 loss: 1.32\nstep 119 loss: nan\nthe labels of step 119 are all -100", "LG208"),
        ("loss nan\nloss nan\nMSE on a csv whose price column has empty cells: df['price']", "LG203"),
        ("loss nan after some steps with autocast and GradScaler", "LG108"),
        ("loss 0.69\nloss 0.52\nloss nan\nloss nan", "LG207"),
        ("loss: 2.3026\nloss: 2.3025\nloss: 2.3027\nloss: 2.3026", "LG303"),
        ("loss 0.6931\nloss 0.6932\nloss 0.6931\nBCEWithLogitsLoss after nn.Sigmoid()", "LG303"),
        ("loss=0.0, acc=100.0%\nloss=0.0, acc=100.0%\ny = torch.tensor(scores).long()", "LG213"),
        ("loss: 0.31 - dice_coef: 1.97\nloss: 0.30 - dice_coef: 1.98", "LG205"),
        ("a negative number occurs in the loss because bce_with_logits is below 0", "LG205"),
        ("nll_loss gives a negative `label loss` value: its input is no log_softmax", "LG301"),
        ("loss is nan: the class index -1 is ignored, and all gt are -1", "LG208"),
        ("F.cross_entropy wants NCHW, and the output is NHWC", "LG404"),
        ("nn.MSELoss: output torch.Size([32, 1]), target torch.Size([32]); the loss is stuck", "LG406"),
    ],
)
def test_a_symptom_leads_to_what_is_possible(text: str, code: str) -> None:
    report = lossguard.explain(text)
    assert code in [finding.code for finding in report][:2]
    assert report.findings[0].code == code or len(report) > 1
    assert all(finding.certainty != "certain" for finding in report)


@pytest.mark.parametrize(
    ("text", "code", "certainty"),
    [
        ("output = model(x)\nloss = CrossEntropyLoss(output, labels)\nloss.backward()", "LG504", "possible"),
        ("out = F.softmax(model(x), dim=1)\nloss = F.cross_entropy(out, y)", "LG303", "possible"),
        ("nn.Softmax(dim=1) is the last layer, the loss is nn.CrossEntropyLoss()", "LG303", "possible"),
        ("p = torch.sigmoid(fc(h))\ncrit = nn.BCEWithLogitsLoss()\nloss = crit(p, y)", "LG303", "possible"),
        ("x = F.log_softmax(fc(x), dim=1)\nloss = nn.CrossEntropyLoss()(x, y)", "LG303", "possible"),
        ("nn.KLDivLoss: why does this not learn?\nloss = criterion(y_hat, y)", "LG302", "possible"),
        ("F.cross_entropy(y_hat, y)(y_hat, y)", "LG504", "likely"),
        ("pred = F.softmax(net(x), dim=-1)\nloss = F.nll_loss(pred, y)", "LG302", "possible"),
        ("x = torch.randn(3, 3)\ny = torch.tensor([1, 2, 3])\nloss = F.cross_entropy(x, y)", "LG201", "possible"),
        ("criterion = nn.CrossEntropyLoss()\nloss = criterion(out, F.one_hot(y, 10))", "LG402", "likely"),
        ("criterion = nn.CrossEntropyLoss()\nloss = criterion(out, y.unsqueeze(1))", "LG401", "likely"),
        ("loss = F.cross_entropy(out.argmax(1), y)", "LG106", "likely"),
        ("y = torch.tensor([0., 1., 2.])\nloss = F.cross_entropy(x, y)", "LG101", "possible"),
        ("y = torch.tensor([0, 1, 1])\nloss = F.binary_cross_entropy(p, y)", "LG104", "possible"),
        ("x = torch.randn(1, 5, 9)\ny = torch.full((1, 9), -100)\nF.cross_entropy(x, y)", "LG208", "possible"),
    ],
)
def test_code_alone_leads_to_what_it_decides(text: str, code: str, certainty: str) -> None:
    first = lossguard.explain(text).findings[0]
    assert (first.code, first.certainty) == (code, certainty)


def test_a_score_with_its_sign_turned_is_no_symptom() -> None:
    log = "Epoch 5 - loss: -0.7539 - dice_coef: 0.7539\nEpoch 6 - loss: -0.7808 - dice_coef: 0.7808"
    assert lossguard.explain(log).findings == ()


SOUND_PROGRAM = """\
import torch
from torch import nn
best_loss = float("inf")
criterion = nn.CrossEntropyLoss()
for epoch in range(3):
    total_loss = 0
    for x, y in loader:
        out = model(x)
        loss = criterion(out, y)
        loss.backward()
        total_loss += loss.item()
    if total_loss < best_loss:
        best_loss = total_loss
    out = torch.softmax(model(x), dim=1)
    accuracy = (out.argmax(1) == y).float().mean()
    if out.shape[0] != y.shape[0]:
        raise ValueError("input and target must have the same shape")
    print(epoch, total_loss, accuracy)
"""


def test_a_sound_program_is_not_accused() -> None:
    """What a program assigns, checks and reads off is no symptom, and no error."""
    assert lossguard.explain(SOUND_PROGRAM).findings == ()


DEVICES = (
    "Expected all tensors to be on the same device, but got weight is on cpu, different from other tensors on cuda:0"
)


@pytest.mark.parametrize(
    ("text", "code", "fix"),
    [
        ("IndexError: Target 17179869185 is out of bounds.", "LG201", "torch.from_numpy(labels.astype('int64'))"),
        ("IndexError: Target -9 is out of bounds.", "LG201", "torch.unique(labels, return_inverse=True)"),
        ("IndexError: Target 255 is out of bounds.", "LG202", "ignore_index=255"),
        ("IndexError: Target 9 is out of bounds.", "LG201", "nn.Linear(features, 10)"),
        (
            "    mask = F.one_hot(mask, 2)\nRuntimeError: Class values must be smaller than num_classes.",
            "LG201",
            "mask > 0",
        ),
        (
            "    q = policy_net(states).gather(1, actions)\nindex 4 is out of bounds for dimension 1 with size 4",
            "LG210",
            "actions.max()",
        ),
        ("IndexError: Found indices in 'edge_index' that are larger than 99 (got 120).", "LG210", "data.edge_index"),
        (
            DEVICES,
            "LG501",
            "weight=weight",
        ),
        (
            "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.",
            "LG108",
            "BCEWithLogits",
        ),
        (
            "Expected input batch_size (3136) to match target batch_size (64).",
            "LG403",
            "output.view(target.size(0), -1)",
        ),
        ("Expected input batch_size (1216) to match target batch_size (1280).", "LG403", "target[:, 1:]"),
        ("Expected input batch_size (79) to match target batch_size (47).", "LG403", "output.shape[:-1]"),
        ("index 4294967296 is out of bounds for dimension 1 with size 2", "LG210", "index.long()"),
        ("index 765 is out of bounds for dimension 0 with size 765", "LG210", "x.size(dim)"),
        ("all 13 classes are there. IndexError: Target 13 is out of bounds.", "LG201", "target - 1"),
        ("Expected target size [20, 2], got [20]\n  loss = F.cross_entropy(logits, y)", "LG404", "output[:, :, -1]"),
        (
            "input and target batch or spatial sizes don't match: target [4, 31, 31], input [4, 31, 99, 31]",
            "LG404",
            "movedim(2, 1)",
        ),
        (
            (
                "Using a target size (torch.Size([64, 1, 8, 3])) that is different to the input size "
                "(torch.Size([64, 80, 8, 3])). This will likely lead to incorrect results due to broadcasting."
            ),
            "LG406",
            "expand_as",
        ),
        (
            "Outputs (torch.Size([1, 5, 8, 16])) and labels (torch.Size([1, 1, 8, 16])) must have the same shape",
            "LG405",
            "F.one_hot(target.squeeze(1).long(), 5)",
        ),
        (
            "assert: output of shape (16, 19, 51, 25), labels of shape (16, 51, 25, 3)",
            "LG405",
            "colour",
        ),
        ("TypeError: embedding(): argument 'indices' (position 2) must be Tensor, not list", "LG503", "as_tensor(ids"),
        ("loss is nan, and bce is stuck after a sigmoid activation", "LG303", "BCEWithLogitsLoss"),
        (
            "Target size (torch.Size([1, 3, 8, 8])) must be the same as input size (torch.Size([1, 1, 8, 8]))",
            "LG405",
            "convert('L')",
        ),
    ],
)
def test_the_first_fix_goes_by_operation_value_and_argument(text: str, code: str, fix: str) -> None:
    found = {finding.code: finding for finding in lossguard.explain(text)}
    first = found[code].fixes[0]
    assert fix in first.code or fix in first.title


def test_both_shapes_known_make_it_more_than_possible() -> None:
    report = lossguard.explain("size mismatch (got input: [2, 6, 7, 5] , target: [2, 6, 7]")
    assert report.findings[0].certainty != "possible"


def test_a_bare_device_assert_is_one_finding_with_the_causes_inside() -> None:
    report = lossguard.explain("RuntimeError: CUDA error: device-side assert triggered")
    (only,) = report
    assert only.code == "LG201"
    assert [other.code for other in only.alternatives] == ["LG210", "LG206"]
    assert all(other.verify for other in only.alternatives)
    assert "or        LG210 index-out-of-range" in str(report)
    assert str(report).rpartition("\n\n")[2].startswith("broken: possibly class-index-out-of-range")
    assert [other["code"] for other in only.to_dict()["alternatives"]] == ["LG210", "LG206"]


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "MemoryError", "PermissionError: [Errno 13] Permission denied"])
def test_code_in_a_traceback_is_no_message_of_torch(error: str) -> None:
    """What a frame compares, and which function it stands in, says nothing beside an error of another kind."""
    text = (
        'Traceback (most recent call last):\n  File "fit.py", line 3, in step\n    loss = criterion(x, y)\n'
        '  File "/usr/lib/python3/site-packages/torch/nn/functional.py", line 3100, in binary_cross_entropy\n'
        f"    if target.size() != input.size():\n{error}"
    )
    assert not lossguard.explain(text, source=False).findings


def test_the_last_lines_say_what_to_do_next() -> None:
    text = '  File "fit.py", line 3, in step\n    loss = F.nll_loss(x, y)\nIndexError: Target 7 is out of bounds.'
    report = lossguard.explain(text, source=False)
    shown = str(report).rpartition("\n\n")[2].splitlines()
    assert shown[0].startswith("broken: probably class-index-out-of-range in nll_loss at fit.py:3")
    assert len(shown) <= 3
    assert shown[-1].startswith("  next     lossguard run fit.py")
    assert report.to_dict()["next"] == list(report.advice)


def test_the_pasted_words_are_quoted() -> None:
    (first, *_) = lossguard.explain("RuntimeError: expected scalar type Long but found Double")
    assert first.torch_says.startswith("RuntimeError: expected scalar type Long but found Double")
