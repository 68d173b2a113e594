"""Programs that nobody planned for: what a student reads must be the right rule, the right line and a safe fix."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name

import lossguard
from lossguard.cli.main import main
from lossguard.contracts.loss import known_losses
from lossguard.findings import Certainty, Finding, Fix, Safety, Severity
from lossguard.guard.calls.entries import ENTRIES
from lossguard.records import replace
from lossguard.reports.lines import number
from lossguard.rules.registry import find_rule
from lossguard.tracing.remedies.remedy import remedy
from lossguard.tracing.symptoms.symptom import Symptom
from lossguard.tracing.walks.steps import Step


def only(loss: object, *args: object, **kwargs: Any) -> Finding:
    """The one finding of a call."""
    (finding,) = lossguard.check(loss, *args, **kwargs).findings
    return finding


def codes_of(fixes: tuple[Fix, ...]) -> list[str]:
    return [fix.code for fix in fixes]


@pytest.mark.parametrize("there", ["input", "target"])
def test_no_move_from_or_to_a_meta_tensor_is_lossless(there: str) -> None:
    given = {"input": torch.randn(3, 4), "target": torch.tensor([0, 1, 2])}
    given[there] = given[there].to("meta")
    finding = only(F.cross_entropy, **given)
    assert finding.code == "LG501"
    assert [fix.safety for fix in finding.fixes] == [Safety.CHANGES_VALUES]
    with pytest.raises(lossguard.CannotFix):
        lossguard.fix(F.cross_entropy, **given)


def test_predicted_classes_as_input_are_the_one_fault() -> None:
    """Whatever the shapes make of the target then, it is not at fault, and no cast of it is a fix."""
    finding = only(F.cross_entropy, torch.tensor([2, 1, 1, 2]), torch.tensor([0, 1, 2, 1]))
    assert (finding.code, finding.argument) == ("LG106", "input")


def test_labels_that_are_no_probabilities_are_not_fixed_into_some() -> None:
    call = (F.cross_entropy, torch.randn(4), torch.tensor([0, 1, 2, 1]))
    finding = only(*call)
    assert finding.code == "LG104"
    assert all(fix.safety is Safety.CHANGES_VALUES for fix in finding.fixes)
    with pytest.raises(lossguard.CannotFix):
        lossguard.fix(*call)


@pytest.mark.parametrize("dtype", [torch.int64, torch.float32])
def test_labels_of_samples_with_one_positive_are_not_fixed_into_one_index(dtype: torch.dtype) -> None:
    """Four binary labels beside four squeezed outputs look like one one-hot row: an argmax would lose three of them."""
    call = (F.nll_loss, torch.randn(4).log_softmax(0), torch.tensor([1, 0, 0, 0], dtype=dtype))
    assert not any(fix.safety is Safety.LOSSLESS for finding in lossguard.check(*call) for fix in finding.fixes)
    with pytest.raises(lossguard.CannotFix):
        lossguard.fix(*call)
    with pytest.raises(lossguard.CannotFix):
        lossguard.fix(F.cross_entropy, torch.randn(4), torch.tensor([1, 0, 0, 0]))


def test_one_hot_rows_are_still_fixed() -> None:
    rows = torch.tensor([[1, 0, 0], [0, 0, 1]])
    assert lossguard.fix(F.cross_entropy, torch.randn(2, 3), rows).tolist() == [0, 2]


def test_a_mask_of_0_and_255_is_not_only_advised_to_lose_its_class() -> None:
    mask = torch.zeros(1, 4, 4, dtype=torch.int64)
    mask[:, 1:3] = 255
    finding = only(F.cross_entropy, torch.randn(1, 2, 4, 4), mask)
    assert finding.code == "LG202"
    assert codes_of(finding.fixes) == ["(target == 255).long()", "ignore_index=255"]
    F.cross_entropy(torch.randn(1, 2, 4, 4), eval(finding.fixes[0].code, {"target": mask}))


def test_swapped_arguments_of_kl_div_are_not_normalised() -> None:
    logarithms, probabilities = torch.randn(8, 5).log_softmax(1), torch.randn(8, 5).softmax(1)
    first = lossguard.check(F.kl_div, probabilities, logarithms, reduction="batchmean").findings[0]
    assert first.code == "LG304"
    assert "swapped" in first.cause
    assert codes_of(first.fixes) == ["target.exp()"]


def test_logits_of_a_teacher_are_made_probabilities_by_softmax() -> None:
    first = lossguard.check(F.cross_entropy, torch.randn(8, 5), torch.randn(8, 5)).findings[0]
    assert (first.code, codes_of(first.fixes)) == ("LG304", ["F.softmax(target, dim=1)"])


def test_a_probability_that_overshot_by_a_rounding_is_no_logit() -> None:
    finding = only(F.binary_cross_entropy, torch.tensor([0.5, 1.0000002]), torch.tensor([0.0, 1.0]))
    assert (finding.code, codes_of(finding.fixes)) == ("LG206", ["input.clamp(0, 1)"])
    assert "= 1.00000024" in str(lossguard.check(F.binary_cross_entropy, torch.tensor([1.0000002]), torch.ones(1)))
    logits = only(F.binary_cross_entropy, torch.tensor([-2.0, 3.0]), torch.tensor([0.0, 1.0]))
    assert codes_of(logits.fixes) == ["F.binary_cross_entropy_with_logits(input, target)"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.0, "1"), (1.0000002, "1.0000002"), (0.1234567, "0.123457"), (float("inf"), "inf"), (float("nan"), "nan")],
)
def test_a_number_beside_a_whole_one_does_not_look_like_it(value: float, shown: str) -> None:
    assert number(value) == shown


def test_a_long_argument_name_keeps_its_distance() -> None:
    log_probs, labels = torch.randn(20, 2, 5).log_softmax(-1), torch.tensor([[1, 2], [3, 4]])
    report = lossguard.check(F.ctc_loss, log_probs, labels, torch.tensor([20, 24]), torch.tensor([2, 2]))
    assert "\n  input_lengths int64[2]" in str(report)


def test_a_list_for_a_real_loss_is_not_said_to_be_cast_without_loss() -> None:
    """70000 becomes infinite in float16."""
    finding = only(F.mse_loss, torch.zeros(2, dtype=torch.float16), [70000.0, 0.1])
    assert (finding.code, finding.fixes) == ("LG502", ())


def test_words_are_not_advised_to_be_made_a_tensor_of() -> None:
    finding = only(F.cross_entropy, torch.randn(2, 3), np.array(["cat", "dog"], dtype=object))
    assert (finding.code, codes_of(finding.fixes)) == ("LG502", [""])


def test_an_autopsy_of_a_text_says_what_takes_texts() -> None:
    with pytest.raises(TypeError, match="explain takes a text"):
        lossguard.autopsy("IndexError: Target 3 is out of bounds.")  # type: ignore[arg-type]


def fixed(code: str, symptom: str, folder: Path, fault: str = "LG102") -> str | None:
    """What is to be written in place of `code`, where a fix of the call is known to hold good."""
    file = folder / "train.py"
    imports = "import torch, numpy as np\nfrom torch import nn\nimport torch.nn.functional as F"
    file.write_text(f"{imports}\ny = scores = frame = fn = 0\n{code}\n")
    statement = ast.parse(file.read_text()).body[-1]
    assert isinstance(statement, ast.Expr)
    known = Fix("cast it", Safety.LOSSLESS, "target.long()", checked="the loss takes all 4 labels of this batch")
    finding = Finding(fault, "a-fault", Severity.ERROR, Certainty.CERTAIN, "nll_loss", "target", "")
    decision = replace(known, safety=Safety.CHANGES_VALUES)
    finding = replace(finding, seek=find_rule(fault).seek, fixes=(known, decision))
    step = Step(str(file), 5, code, culprit=statement.value)
    found = remedy(step, Symptom(symptom, "dtype", lambda _: None), finding)
    return None if found is None else found.code


@pytest.mark.parametrize(
    ("code", "symptom", "better"),
    [
        ("torch.randn(16)", "column", None),
        ("y.unsqueeze(1)", "column", "y"),
        ("y.view(-1, 1)", "column", "y"),
        ("np.expand_dims(y, 1)", "column", "y"),
        ("scores.softmax(1)", "probabilities", "scores"),
        ("torch.softmax(scores, 1)", "probabilities", "scores"),
        ("fn.softmax(scores, 1)", "probabilities", None),
        ("F.one_hot(y, 3)", "one-hot", "y"),
        ('frame["label"].astype("category")', "dtype int8", None),
        ('frame["label"].astype("int8")', "dtype int8", "frame['label'].astype(\"int64\")"),
        ("torch.Tensor(y)", "floating", "torch.tensor(y, dtype=torch.long)"),
    ],
)
def test_the_fix_at_a_line_is_code_that_does_it_or_none(
    code: str, symptom: str, better: str | None, tmp_path: Path
) -> None:
    assert fixed(code, symptom, tmp_path) == better


@pytest.mark.parametrize(
    ("code", "better"),
    [
        ("torch.softmax(scores, -1)", "torch.log_softmax(scores, -1)"),
        ("scores.softmax(dim=1)", "scores.log_softmax(dim=1)"),
        ("softmax(scores, 1)", "torch.log_softmax(scores, 1)"),
        ("nn.Softmax(dim=1)", "nn.LogSoftmax(dim=1)"),
        ("scores.sigmoid()", None),
    ],
)
def test_a_loss_of_log_probabilities_is_not_given_scores(code: str, better: str | None, tmp_path: Path) -> None:
    assert fixed(code, "probabilities", tmp_path, "LG302") == better


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.owner}.{entry.name}")
def test_an_entry_calls_its_arguments_as_the_contract_does(entry: Any) -> None:
    assert set(entry.parameters) <= set(known_losses()[entry.loss].parameters)


def test_one_hot_of_a_padding_is_seen_with_its_value_and_line() -> None:
    with lossguard.guard(), pytest.raises(RuntimeError) as caught:
        F.one_hot(torch.tensor([0, 2, -1, 1]), 3)  # here
    (finding,) = lossguard.autopsy(caught.value).findings
    assert (finding.code, finding.samples[0].value) == ("LG210", -1)
    assert finding.place is not None
    assert finding.place.code.endswith("# here")


def test_what_only_the_words_tell_is_still_placed_in_the_program() -> None:
    with pytest.raises(RuntimeError) as caught:
        torch.randn(4, 6).gather(0, torch.tensor([[0], [5]]))  # here
    first = lossguard.autopsy(caught.value).findings[0]
    assert first.code == "LG210"
    assert first.place is not None
    assert first.place.code.endswith("# here")


@pytest.mark.parametrize("file", ["missing/found.json", "."])
def test_a_report_that_cannot_be_written_is_said_before_the_run(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "train.py"
    program.write_text("print('ran')\n")
    assert main(["run", "--report", str(tmp_path / file), str(program)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("lossguard: can't write ")


def test_code_installed_in_another_environment_is_nobodys_own() -> None:
    from lossguard.paths import is_library

    assert is_library("/somewhere/else/lib/python3.12/site-packages/trainer/loop.py")
    assert not is_library("/home/me/project/train.py")
