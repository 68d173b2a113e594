"""Explain: what a pasted text is about. The texts are lines of torch, the programs run on the torch that is here."""

from __future__ import annotations

import ast
import re
import traceback
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lossguard
from examples import EXAMPLES, SCOPE, exists_here, written
from explain_texts import OURS, UNACCUSED, UNRELATED
from lossguard.explain.indexing import INDEX, WORDS, render, render_words
from lossguard.explain.unrelated import UNRELATED as UNRELATED_TEMPLATES
from lossguard.explain.unrelated import UNRELATED_ALONE
from lossguard.rules.registry import all_rules
from lossguard.rules.rule import Example, Rule
from lossguard.rules.saying import TorchMessage, anchors, bare, to_pattern

SAYINGS = [
    (f"{rule.code}-{number}", rule, saying)
    for rule in all_rules()
    for number, saying in enumerate(rule.says)
    if saying.shows
]

#: What a text cannot tell, and the first fault that it names instead.
UNTELLABLE = {
    ("LG104", "LG402"): "rows of integers: one 1 in each or several",
    ("LG109", "LG201"): "156 is what uint8 makes of -100, or a label",
    ("LG203", "LG101"): "the dtype is named, not the values",
    ("LG204", "LG101"): "the dtype is named, not the values",
    ("LG204", "LG401"): "several axes are named, not what they hold",
    ("LG207", "LG206"): "NaN is not between 0 and 1 either, and torch says no more",
    ("LG209", "LG101"): "the dtype is named, not the values",
    ("LG402", "LG401"): "several axes are named, not what they hold",
    ("LG404", "LG402"): "shapes that are equal by accident are not named",
    ("LG405", "LG401"): "several axes are named, not their sizes",
    ("LG405", "LG408"): "the lengths are of another number, which is a shape as well",
}


@pytest.mark.parametrize(("text", "code"), OURS)
def test_a_bare_line_leads_to_its_fault(text: str, code: str) -> None:
    report = lossguard.explain(text)
    assert [finding.code for finding in report][:1] == [code]
    assert report.verdict == ("suspicious" if "Warning" in text else "broken")


@pytest.mark.parametrize("text", UNRELATED)
def test_what_is_no_loss_and_no_index_is_not_accused(text: str) -> None:
    report = lossguard.explain(text)
    assert (report.verdict, report.findings) == ("unrelated", ())
    assert len(report.subjects) == 1, "one sentence on what it is"


@pytest.mark.parametrize("text", UNACCUSED)
def test_nothing_is_accused_that_the_text_does_not_show(text: str) -> None:
    assert lossguard.explain(text).findings == ()


@pytest.mark.parametrize(("rule", "saying"), [case[1:] for case in SAYINGS], ids=[case[0] for case in SAYINGS])
def test_every_template_fits_its_own_text(rule: Rule, saying: TorchMessage) -> None:
    assert re.search(to_pattern(saying.shows), bare(saying.text)), rule.code
    assert all(words in bare(saying.text) for words in anchors(saying.shows))
    assert len(anchors(saying.shows)[0]) >= 4, "a template needs plain words to be found by"


@pytest.mark.parametrize("template", [template for template, _ in UNRELATED_TEMPLATES + UNRELATED_ALONE])
def test_every_template_of_others_compiles_and_has_plain_words(template: str) -> None:
    re.compile(to_pattern(template))
    assert len(anchors(template)[0]) >= 6


#: Words that need no others beside them to count.
ALONE = [case for case in SAYINGS if not case[2].needs]


@pytest.mark.parametrize(("rule", "saying"), [case[1:] for case in ALONE], ids=[case[0] for case in ALONE])
def test_every_saying_is_explained_by_its_rule(rule: Rule, saying: TorchMessage) -> None:
    assert rule.code in [finding.code for finding in lossguard.explain(saying.text)]


INDEX_IS_FLOAT = "Expected object of scalar type Long but got scalar type Float for argument #3 'index'"


@pytest.mark.parametrize(
    ("beside", "text", "code"),
    [
        ("", INDEX_IS_FLOAT, "LG107"),
        ("onehot.scatter_(1, labels, 1)", INDEX_IS_FLOAT, "LG101"),
        ("", "all elements of input should be between 0 and 1", "LG206"),
        ("scores: min = nan max = nan", "all elements of input should be between 0 and 1", "LG207"),
        ("", "CUDA error: device-side assert triggered", "LG201"),
        ("hidden = F.embedding(ids, table)", "CUDA error: device-side assert triggered", "LG210"),
        ("x = self.norm(token_embeddings + position_embeddings)", "CUDA error: device-side assert triggered", "LG210"),
        ("", "Class values must be non-negative.", "LG201"),
        ("rows = F.one_hot(labels, classes)", "Class values must be non-negative.", "LG201"),
        ("rows = F.one_hot(days, 7)", "Class values must be non-negative.", "LG210"),
    ],
)
def test_what_stands_beside_the_words_decides(beside: str, text: str, code: str) -> None:
    assert lossguard.explain(f"    {beside}\n{text}").findings[0].code == code


AMBIGUOUS = "RuntimeError: Boolean value of Tensor with more than one value is ambiguous"
MADE = (
    '  File "/env/lib/python3.9/site-packages/torch/nn/_reduction.py", line 35, in legacy_get_string\n    if reduce:\n'
)


@pytest.mark.parametrize(
    ("beside", "certainty"),
    [
        ("", "possible"),
        ("    loss = criterion(output, label)\n", "possible"),
        (MADE, "likely"),
        ("    best = (new > old) or (last > old)\n", None),
    ],
)
def test_the_truth_of_a_tensor_is_a_loss_class_only_where_a_loss_is_called(beside: str, certainty: str | None) -> None:
    found = lossguard.explain(beside + AMBIGUOUS).findings
    assert [(finding.code, finding.certainty) for finding in found] == ([("LG504", certainty)] if certainty else [])


@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_torch_is_quoted_with_the_dtype_of_each_argument(dtype: str) -> None:
    """What a finding says that torch says is what torch says."""
    torch, functional = SCOPE["torch"], SCOPE["F"]
    scores, labels = torch.randn(3, 3), torch.tensor([0, 1, 2])
    weight = torch.ones(3, dtype=getattr(torch, dtype))
    with pytest.raises(RuntimeError) as raised:
        functional.cross_entropy(scores, labels, weight=weight)
    (first,) = lossguard.check("cross_entropy", scores, labels, weight=weight)
    assert first.torch_says.endswith(str(raised.value))


BROADCAST = "The size of tensor a (8) must match the size of tensor b (9) at non-singleton dimension 0"
OTHER_IS_LONG = (
    "Expected object of type torch.FloatTensor but found type torch.LongTensor for argument #2 &apos;other&apos;"
)


@pytest.mark.parametrize(
    ("function", "text", "code"),
    [
        ("binary_cross_entropy_with_logits", "\"clamp_min_cpu\" not implemented for 'Half'", "LG108"),
        ("l1_loss", "\"abs_cpu\" not implemented for 'BFloat16'", "LG108"),
        ("binary_cross_entropy_with_logits", OTHER_IS_LONG, "LG104"),
        ("mse_loss", OTHER_IS_LONG.replace("Long", "Double"), "LG105"),
        ("mse_loss", f"{OTHER_IS_LONG} in call to _th_sub", "LG104"),
        ("mse_loss", BROADCAST, "LG405"),
        ("binary_cross_entropy_with_logits", BROADCAST, "LG407"),
    ],
)
def test_a_step_of_a_loss_fails_for_what_the_loss_was_given(function: str, text: str, code: str) -> None:
    frame = (
        f'  File "/env/lib/python3.9/site-packages/torch/nn/functional.py", line 7, in {function}\n    return x(a)\n'
    )
    assert lossguard.explain(f"{frame}RuntimeError: {text}").findings[0].code == code


@pytest.mark.parametrize("function", ["mse_loss", "margin_ranking_loss", "cross_entropy", "ctc_loss", "embedding"])
def test_any_words_in_any_operation_can_be_read(function: str) -> None:
    """Words tell of few arguments; no rule may stumble over those that they leave out."""
    frame = f'  File "/env/lib/site-packages/torch/nn/functional.py", line 7, in {function}\n    return x(a)\n'
    for _, _, saying in SAYINGS:
        assert lossguard.explain(f"{frame}RuntimeError: {saying.text}").subjects


def test_scattering_a_batch_over_devices_is_no_index_operation() -> None:
    frame = '  File "/env/lib/site-packages/torch/nn/parallel/scatter_gather.py", line 7, in scatter\n    return x(a)\n'
    text = f"{frame}RuntimeError: index 4 is out of bounds for dimension 1 with size 4"
    assert lossguard.explain(text).findings[0].loss == ""


def test_the_index_is_that_of_the_rules() -> None:
    assert INDEX.read_text(encoding="utf-8") == render(), "run `python -m lossguard.explain.indexing`"
    assert WORDS.read_text(encoding="utf-8") == render_words(), "run `python -m lossguard.explain.indexing`"


RAISING = [case for case in EXAMPLES if case[2].breaks and case[2].torch.startswith("raises") and exists_here(case[2])]


@pytest.mark.parametrize(("rule", "example"), [case[1:] for case in RAISING], ids=[case[0] for case in RAISING])
def test_a_traceback_of_this_torch_leads_to_what_check_finds(rule: Rule, example: Example) -> None:
    """Each rule's example as a program: its traceback, explained, names the fault that the judge sees."""
    del rule
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(f"loss = {example.call}", "train.py", "exec"), dict(SCOPE))  # noqa: S102 - our own example
        except Exception:  # noqa: BLE001 - whatever torch raises is the text to explain
            text = traceback.format_exc()
        else:
            pytest.skip("it fails in backward only")
    call = written(example)
    found = lossguard.check(call.loss, *call.args, **call.kwargs).findings[0].code
    report = lossguard.explain(text)
    assert report.findings, f"{found} is not seen in: {text.splitlines()[-1]}"
    first = report.findings[0]
    assert first.code == found or (found, first.code) in UNTELLABLE, text.splitlines()[-1]
    assert first.place is not None
    assert first.place.file == "train.py"


PROGRAMS = sorted((Path(__file__).parent / "programs" / "broken").glob("*.py"))


def _expected(program: Path) -> str:
    found = re.search(r"expect: (LG\d+) exit=1", program.read_text(encoding="utf-8"))
    return found[1] if found else ""


@pytest.mark.parametrize("program", [path for path in PROGRAMS if _expected(path)], ids=lambda path: path.stem)
def test_a_program_that_dies_is_explained_as_the_guard_explains_it(program: Path, tmp_path: Path) -> None:
    """Run without a guard, with nothing left of it but what Python prints."""
    if program.stem.startswith("ctc"):
        pytest.skip("without a guard it takes this process down with it")
    source = program.read_text(encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patched.chdir(tmp_path)
        try:
            exec(compile(source, str(program), "exec"), {"__name__": "__main__"})  # noqa: S102 - a program of the tests
        except Exception:  # noqa: BLE001 - whatever it dies of is the text to explain
            text = traceback.format_exc()
        else:
            pytest.skip("it dies in another way than by an exception")
    first = lossguard.explain(text).findings[0]
    assert first.code == _expected(program) or (_expected(program), first.code) in UNTELLABLE
    assert first.place is not None
    marked = [number for number, line in enumerate(source.splitlines(), 1) if line.endswith("# here")]
    assert not marked or first.place.line in marked


def test_frames_decide_between_readings() -> None:
    line = "RuntimeError: expected scalar type Long but found Float"
    file = '  File "/env/lib/python3.11/site-packages/torch/nn/functional.py", line 3, in '
    assert lossguard.explain(f"{file}cross_entropy\n    return torch._C._nn.f(x)\n{line}").findings[0].code == "LG101"
    assert (
        lossguard.explain(f"{file}cross_entropy\n    return torch._C._nn.f(x)\n{line}").findings[0].certainty
        == "certain"
    )
    assert lossguard.explain(line).findings[0].certainty == "likely"
    assert lossguard.explain(f"{file}linear\n    return F.linear(x, w)\n{line}").verdict == "unrelated"
    assert lossguard.explain(f"{file}embedding\n    return torch.embedding(x)\n{line}").findings[0].code == "LG107"


def test_the_dangers_of_a_cast_are_told() -> None:
    (fix, *_) = lossguard.explain("expected scalar type Long but found Float").findings[0].fixes
    assert fix.code == "target.long()"
    assert fix.safety == "changes-values"
    assert "-9223372036854775808" in fix.reason


@pytest.mark.parametrize("rule", [rule for rule in all_rules() if rule.remedies], ids=lambda rule: rule.code)
def test_a_remedy_is_a_line_of_python_that_is_never_called_lossless(rule: Rule) -> None:
    for remedy in rule.remedies:
        ast.parse(remedy.code)
        assert remedy.title
        assert remedy.safety == "changes-values", "nothing is known of the values"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("RuntimeError: multi-target not supported at ClassNLLCriterion.c:22", "target.squeeze(1)"),
        ("'SequenceClassifierOutput' object has no attribute 'log_softmax'", "output.logits"),
        (
            "loss = nn.MSELoss(a, b)\nbool value of Tensor with more than one value is ambiguous",
            "loss_fn(input, target)",
        ),
        ("Assertion `t >= 0 && t < n_classes` failed", "target - 1"),
        ("Input, output and indices must be on the current device", "target.to(input.device)"),
    ],
)
def test_words_alone_lead_to_a_line_to_write(text: str, code: str) -> None:
    first = lossguard.explain(text).findings[0]
    assert code in [fix.code for fix in first.fixes]
    assert re.search(rf"fix +{re.escape(code)}", str(lossguard.explain(text)))


def test_words_that_tell_the_cause_are_heard_before_the_page() -> None:
    spatial = "only batches of spatial targets supported (3D tensors) but got targets of size: : "
    (coloured, *_) = lossguard.explain(f"{spatial}[2, 99, 99, 3]")
    (whole, *_) = lossguard.explain(f"{spatial}[16]")
    assert coloured.code == whole.code == "LG405"
    assert "colour" in coloured.cause
    assert "each whole image" in whole.cause


def test_told_dtypes_stand_with_their_arguments() -> None:
    first = lossguard.explain(
        "loss = F.cross_entropy(out, y, weight)\nRuntimeError: expected scalar type Float but found Long"
    ).findings[0]
    assert (first.argument, first.evidence["dtype"], first.evidence["input_dtype"]) == ("weight", "int64", "float32")


def test_a_compiled_call_names_its_operation() -> None:
    text = (
        "torch._dynamo.exc.TorchRuntimeError: Dynamo failed to run FX node with fake tensors: call_function "
        "<function cross_entropy at 0x7f34>(*(FakeTensor(..., size=(32, 10)), FakeTensor(..., size=(32,))), **{}): "
        "got RuntimeError('expected scalar type Long but found Float')"
    )
    first = lossguard.explain(text).findings[0]
    assert (first.code, first.loss, first.certainty) == ("LG101", "cross_entropy", "certain")
    assert (
        lossguard.explain(text.replace("<function cross_entropy", "<built-in function linear")).verdict == "unrelated"
    )


def test_several_causes_come_with_a_way_to_tell() -> None:
    report = lossguard.explain("0D or 1D target tensor expected, multi-target not supported")
    assert len(report) > 1
    assert all(finding.verify.startswith("print(") for finding in report)
    assert all(finding.cause and finding.torch_says for finding in report)
    assert "verify" in str(report)


ASSERT = (
    "../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], "
    "thread: [{},0,0] Assertion `t >= 0 && t < n_classes` failed.\n"
)


def test_device_asserts_are_counted_and_their_kernel_is_trusted() -> None:
    text = "".join(ASSERT.format(thread) for thread in range(32)) + (
        "Traceback (most recent call last):\n"
        '  File "train.py", line 9, in step\n'
        "    hidden = F.embedding(ids, table)\n"
        "RuntimeError: CUDA error: device-side assert triggered\n"
    )
    report = lossguard.explain(text)
    first = report.findings[0]
    assert (first.code, first.loss) == ("LG201", "nll_loss"), "the kernel counts, not the Python frame"
    assert first.place is None, "the frame is only where it came to light"
    assert first.evidence["asserts"] == 32
    assert first.evidence["torch"] == "2.1 to 2.5"
    assert {finding.code for finding in report} == {"LG201", "LG202"}
    told = str(report)
    assert "CUDA_LAUNCH_BLOCKING=1" in told
    assert "in a new process" in told


def test_only_a_run_that_waits_for_the_device_is_trusted_on_the_line() -> None:
    """Torch advises CUDA_LAUNCH_BLOCKING=1 in the same words whether or not it was set."""
    text = (
        '  File "train.py", line 9, in step\n    total += loss.item()\n'
        "RuntimeError: CUDA error: device-side assert triggered\n"
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1.\n"
    )
    assert lossguard.explain(text).findings[0].place is None
    assert "in a new process" in str(lossguard.explain(text))
    waited = lossguard.explain(f"$ CUDA_LAUNCH_BLOCKING=1 python train.py\n{text}").findings[0].place
    assert waited is not None
    assert waited.line == 9


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        "RuntimeError: CUDA error: unspecified launch failure",
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "RuntimeError: cuda runtime error (59) : device-side assert triggered at THCTensorCopy.cpp:20",
    ],
)
def test_after_effects_are_told_as_such(text: str) -> None:
    report = lossguard.explain(text)
    assert all(finding.certainty == "possible" for finding in report)
    assert "after-effect" in str(report)


def test_an_assert_without_a_kernel_is_known_by_its_file() -> None:
    """Windows builds leave the kernel's name out."""
    text = (
        "C:\\w\\b\\windows\\pytorch\\aten\\src\\ATen\\native\\cuda\\NLLLoss2d.cu:95: block: [0,0,0], thread: [1,0,0] "
    )
    first = lossguard.explain(text + "Assertion `t >= 0 && t < n_classes` failed.").findings[0]
    assert (first.code, first.loss, first.evidence["torch"]) == ("LG201", "nll_loss", "1.10")


def test_told_shapes_are_laid_before_the_judge() -> None:
    first = lossguard.explain(
        "ValueError: Target size (torch.Size([4])) must be the same as input size (torch.Size([4, 1]))"
    ).findings[0]
    assert first.code == "LG401"
    assert first.certainty != "certain" or first.evidence["shape"] == [4]


def test_the_line_is_read_from_the_file_if_it_is_here(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import torch\nloss = criterion(output, label)\n", encoding="utf-8")
    text = f'  File "{script}", line 2, in <module>\nIndexError: Target 7 is out of bounds.'
    place = lossguard.explain(text).findings[0].place
    assert place is not None
    assert place.code == "loss = criterion(output, label)"
    unread = lossguard.explain(text, source=False).findings[0].place
    assert unread is not None
    assert unread.code == ""


def test_only_source_files_are_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("password\n", encoding="utf-8")
    report = lossguard.explain(f'  File "{secret}", line 1, in f\nIndexError: Target 7 is out of bounds.')
    assert "password" not in report.to_json()


def test_a_text_is_never_run() -> None:
    report = lossguard.explain('__import__("os").abort()\nIndexError: Target 7 is out of bounds.')
    assert report.findings[0].code == "LG201"


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match="string"):
        lossguard.explain(b"IndexError")  # type: ignore[arg-type]


def test_nothing_known_is_unknown() -> None:
    assert lossguard.explain("").verdict == "unknown"
    assert lossguard.explain(" \n\t ").verdict == "unknown"
    assert lossguard.explain("Epoch 3/10, all is well").verdict == "unknown"


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    report = lossguard.explain(text)
    assert report.to_json()
    assert str(report).isprintable() or "\n" in str(report)


@given(st.lists(st.sampled_from([saying.text for _, _, saying in SAYINGS]), min_size=1, max_size=4), st.data())
def test_any_mixture_of_sayings_is_read(texts: list[str], data: st.DataObject) -> None:
    text = "\n".join(texts)
    cut = data.draw(st.integers(0, len(text)))
    for part in (text, text[:cut], text[cut:]):
        report = lossguard.explain(part)
        assert len({finding.code for finding in report}) == len(report), "each fault once"
        assert report.to_json()
