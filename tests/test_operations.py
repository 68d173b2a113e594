"""Every loss and index operation, with torch as the judge of the judge."""

from __future__ import annotations

import importlib
import itertools
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import nn

import lossguard
from lossguard.contracts.loss import known_losses
from random_operations import MAKERS, Dice, random_operation

pytest.importorskip("expecttest", reason="torch's samples need it")

from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db

ROOT = Path(__file__).parent.parent
SEEDS = 60
#: So many samples and error inputs torch 2.13 ships for these operations.
SAMPLES, ERRORS, MODULE_SAMPLES, MODULE_ERRORS = 1248, 86, 1135, 18


def _operators() -> Iterator[Any]:
    for operator in op_db:
        bare = operator.name.removeprefix("nn.functional.")
        own = operator.name.startswith("nn.functional.") or not bare.startswith("nn.")
        if own and bare.strip("_") in known_losses() and "." not in bare:
            yield operator


def _name(operator: Any) -> str:
    return str(operator.name.removeprefix("nn.functional.").strip("_"))


def _arguments(operator: Any, sample: Any) -> tuple[Any, ...]:
    """A sample's arguments in the order of the public function; torch's own samples put the table first."""
    if _name(operator).startswith("embedding"):
        return (sample.args[0], sample.input, *sample.args[1:])
    return (sample.input, *sample.args)


OPERATORS = list(_operators())
MODULES = [
    entry for entry in module_db if entry.module_cls.__name__ in {loss.module for loss in known_losses().values()}
]


def _samples(operator: Any) -> list[Any]:
    dtype = torch.int64 if _name(operator) == "one_hot" else torch.float32
    return list(operator.sample_inputs("cpu", dtype, requires_grad=False))


def _module_samples(entry: Any) -> list[Any]:
    return list(entry.module_inputs_func(entry, device="cpu", dtype=torch.float32, requires_grad=False, training=True))


def _is_nan(result: Any) -> bool:
    return isinstance(result, torch.Tensor) and result.is_floating_point() and bool(result.isnan().any())


@pytest.mark.filterwarnings("ignore")  # torch warns of its own samples: broadcasts, masks, retired flags
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.full_name)
def test_no_operator_sample_is_judged_broken(operator: Any) -> None:
    for sample in _samples(operator):
        report = lossguard.check(_name(operator), *_arguments(operator, sample), **sample.kwargs)
        assert report.verdict != "broken" or _is_nan(operator(sample.input, *sample.args, **sample.kwargs)), report


def test_all_samples_that_torch_ships_were_judged() -> None:
    assert sum(len(_samples(operator)) for operator in OPERATORS) >= SAMPLES
    assert sum(len(_module_samples(entry)) for entry in MODULES) >= MODULE_SAMPLES


@pytest.mark.filterwarnings("ignore")  # some of torch's error inputs warn before they raise
def test_every_operator_error_input_is_judged_broken() -> None:
    judged = 0
    for operator in OPERATORS:
        for error in operator.error_inputs("cpu") if operator.error_inputs_func else ():
            sample = error.sample_input
            report = lossguard.check(_name(operator), sample.input, *sample.args, **sample.kwargs)
            assert report.verdict == "broken", f"{operator.name}: {error.error_regex}"
            judged += 1
    assert judged >= ERRORS


@pytest.mark.filterwarnings("ignore")  # torch warns of its own samples
@pytest.mark.parametrize("entry", MODULES, ids=lambda entry: entry.module_cls.__name__)
def test_no_module_sample_is_judged_broken(entry: Any) -> None:
    for sample in _module_samples(entry):
        module = entry.module_cls(*sample.constructor_input.args, **sample.constructor_input.kwargs)
        given = sample.forward_input
        report = lossguard.check(module, *given.args, **given.kwargs)
        assert report.verdict != "broken" or _is_nan(module(*given.args, **given.kwargs)), report


@pytest.mark.filterwarnings("ignore")  # some of torch's error inputs warn before they raise
def test_every_module_error_input_is_judged_broken() -> None:
    """But for those that the constructor refuses itself: there is no call to judge."""
    judged = refused = 0
    for entry in MODULES:
        maker = entry.module_error_inputs_func
        errors = maker(entry, device="cpu", dtype=torch.float32, requires_grad=False, training=True) if maker else ()
        for error in errors:
            sample = error.module_error_input
            try:
                module = entry.module_cls(*sample.constructor_input.args, **sample.constructor_input.kwargs)
            except (TypeError, ValueError, RuntimeError):
                refused += 1
                continue
            report = lossguard.check(module, *sample.forward_input.args, **sample.forward_input.kwargs)
            assert report.verdict == "broken", error.error_regex
            judged += 1
    assert judged + refused >= MODULE_ERRORS
    assert refused <= 4


def test_random_failures_of_index_operations_have_a_name() -> None:
    """All but those that hang on the number of True in a mask, which no shape tells."""
    for name in (name for name in MAKERS if known_losses()[name].home != "torch.nn.functional"):
        for seed in range(SEEDS):
            args, kwargs = random_operation(name, seed)
            report = lossguard.check(name, *args, **kwargs)
            parts = args[1] if isinstance(args[1], tuple) else (args[1],)
            masked = any(getattr(part, "dtype", None) in {torch.bool, torch.uint8} for part in parts)
            if not masked:
                assert all(finding.code != "LG506" for finding in report), f"{name} {seed}: {args}\n{report}"


@pytest.mark.parametrize(
    ("index", "needs"),
    [
        (torch.tensor([True, False]), "a mask of the shape that it lies over, [4]"),
        ([True, False], "a mask of the shape that it lies over, [4]"),
        ((slice(None), torch.tensor([True, False])), "a mask of the shape that it lies over, [3]"),
        ((torch.tensor([0]),) * 3, "a tensor with 3 axes or more"),
        ((torch.tensor([0, 1]), torch.tensor([0, 1, 2])), "shapes that broadcast"),
    ],
    ids=["mask", "list", "second axis", "too many", "apart"],
)
def test_an_index_that_does_not_fit_is_named_with_what_would(index: Any, needs: str) -> None:
    data = torch.zeros(4, 3)
    with pytest.raises(IndexError):
        data[index]
    (finding,) = lossguard.check("getitem", data, index).findings
    assert finding.code == "LG405"
    assert needs in finding.message


@pytest.mark.parametrize("loss", ["index_add", "index_copy"])
def test_sources_fit_exactly_when_torch_takes_them(loss: str) -> None:
    """Every small shape against every other, scalars and empty tensors among them."""
    shapes = [(), (0,), (1,), (2,), (3,), (0, 3), (2, 0), (1, 3), (2, 3), (2, 1), (2, 3, 2)]
    for shape, size, source in itertools.product(shapes, [(), (0,), (1,), (2,), (2, 2)], shapes):
        for dim in range(-max(len(shape), 1), max(len(shape), 1)):
            arguments = (torch.zeros(shape), dim, torch.zeros(size).long(), torch.zeros(source))
            try:
                getattr(torch, loss)(*arguments)
                fails = False
            except (RuntimeError, IndexError):
                fails = True
            report = lossguard.check(loss, *arguments)
            assert (report.verdict == "broken") == fails, f"{shape} {dim} {size} {source}\n{report}"
            assert all(finding.code != "LG506" for finding in report), f"{shape} {dim} {size} {source}\n{report}"


@pytest.mark.parametrize("name", MAKERS)
def test_random_calls_are_broken_exactly_when_torch_fails(name: str) -> None:
    loss = known_losses()[name]
    function = getattr(importlib.import_module(loss.home), name)
    for seed in range(SEEDS):
        args, kwargs = random_operation(name, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = function(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 - whatever torch raises is the answer
                fails = f"{type(error).__name__}: {error}"
            else:
                is_loss = name.endswith("_loss") or "entropy" in name or name == "kl_div"
                fails = "nan" if is_loss and _is_nan(result) else ""
        report = lossguard.check(name, *args, **kwargs)
        assert (report.verdict == "broken") == bool(fails), f"{name} {seed}: {fails}\n{args}\n{kwargs}\n{report}"


def test_random_calls_of_the_adaptive_softmax_are_broken_exactly_when_torch_fails() -> None:
    """It exists as a module only, so its calls are made here."""
    torch.manual_seed(0)
    module = nn.AdaptiveLogSoftmaxWithLoss(64, 20, [5, 10])
    for seed in range(SEEDS):
        dice = Dice(f"adaptive {seed}")
        shape = dice.choice([(3, 64), (3, 64), (64,), (2, 3, 64), (3, 60)])
        given, target = torch.randn(shape), dice.indices(dice.other(shape[:-1], 0.15), 20)
        try:
            fails = _is_nan(module(given, target).loss)
        except Exception:  # noqa: BLE001 - whatever torch raises is the answer
            fails = True
        report = lossguard.check(module, given, target)
        assert (report.verdict == "broken") == fails, f"{seed}: {given.shape} {target}\n{report}"


CTC = "torch.randn(10, 2, 5, requires_grad=True).log_softmax(2)"


@pytest.mark.parametrize("label", [-1, 50])
def test_torch_alone_dies_of_a_ctc_label_that_the_rule_names(label: int) -> None:
    """In a process of its own: torch says nothing in forward and corrupts the heap or dies in backward."""
    arguments = f"{CTC}, torch.tensor([[1, {label}, 2], [1, 2, 3]]), torch.tensor([10, 10]), torch.tensor([3, 3])"
    torch_alone = (
        f"import torch, torch.nn.functional as F\nfor _ in range(20):\n    loss = F.ctc_loss({arguments})\n"
        "    print('forward', flush=True)\n    loss.backward()\nprint('survived')"
    )
    command = [sys.executable, "-c", torch_alone]
    try:
        ran = subprocess.run(command, capture_output=True, check=False, timeout=600)
        said, complained = ran.stdout, ran.stderr
    except subprocess.TimeoutExpired as hang:
        # A corrupted heap may also lock up for ever: that is a way to die, too.
        said, complained = hang.stdout or b"", hang.stderr or b""
    assert b"forward" in said, "torch raised nothing in forward"
    assert b"Error" not in complained.partition(b"\n")[0]
    report = lossguard.check("ctc_loss", *eval(f"({arguments})"))
    assert [finding.code for finding in report] == ["LG211"]
    assert report.verdict == "broken"


def test_take_along_dim_wraps_in_silence_and_the_rule_speaks() -> None:
    values = torch.arange(3.0)
    index = torch.tensor([3, 4, -4, 100])
    assert torch.take_along_dim(values, index, 0).tolist() == [0.0, 1.0, 2.0, 1.0]
    report = lossguard.check(torch.take_along_dim, values, index, 0)
    assert [(finding.code, str(finding.severity)) for finding in report] == [("LG210", "warning")]


def test_an_out_tensor_is_not_written_by_a_check() -> None:
    out = torch.full((2, 1), 7.0)
    assert lossguard.check(torch.gather, torch.randn(2, 3), 1, torch.tensor([[0], [1]]), out=out).verdict == "sound"
    assert out.tolist() == [[7.0], [7.0]]


def test_an_embedding_with_max_norm_is_not_rescaled_by_a_check() -> None:
    module = nn.Embedding(5, 3, max_norm=0.1)
    before = module.weight.detach().clone()
    assert lossguard.check(module, torch.tensor([0, 1])).verdict == "sound"
    assert torch.equal(module.weight, before)


@pytest.mark.parametrize(
    ("forms", "arguments"),
    [
        (["gather", torch.gather, torch.Tensor.gather], (torch.randn(2, 3), 1, torch.tensor([[5], [0]]))),
        (["getitem", torch.Tensor.__getitem__], (torch.randn(2, 3), torch.tensor([7]))),
        (["scatter", torch.scatter, torch.Tensor.scatter_], (torch.zeros(2, 3), 1, torch.tensor([[5]]), 1.0)),
        (["mse_loss", "MSELoss", F.mse_loss], (torch.randn(3, 1), torch.randn(3))),
    ],
    ids=["gather", "getitem", "scatter", "mse_loss"],
)
def test_all_forms_of_an_operation_give_the_same_findings(forms: list[Any], arguments: tuple[Any, ...]) -> None:
    found = {tuple((finding.code, finding.message) for finding in lossguard.check(form, *arguments)) for form in forms}
    assert len(found) == 1
    assert found.pop()


def test_a_bound_method_of_a_tensor_is_understood() -> None:
    values = torch.randn(2, 3)
    assert [finding.code for finding in lossguard.check(values.gather, 1, torch.tensor([[5], [0]]))] == ["LG210"]


@pytest.mark.parametrize(
    ("loss", "given", "target", "wanted"),
    [
        ("binary_cross_entropy_with_logits", torch.randn(3), torch.tensor([0, 1, 1]), torch.tensor([0.0, 1.0, 1.0])),
        ("binary_cross_entropy_with_logits", torch.randn(2), torch.tensor([True, False]), torch.tensor([1.0, 0.0])),
        ("binary_cross_entropy", torch.rand(2), torch.tensor([1.0, 0.5]).double(), torch.tensor([1.0, 0.5])),
        ("binary_cross_entropy_with_logits", torch.randn(2, 1), torch.tensor([1.0, 0.0]), torch.tensor([[1.0], [0.0]])),
        ("mse_loss", torch.randn(2), torch.tensor([[1.0], [2.0]]), torch.tensor([1.0, 2.0])),
        ("huber_loss", torch.randn(2), torch.tensor([1, 2]), torch.tensor([1.0, 2.0])),
        ("embedding", None, torch.tensor([1.0, 2.0]), torch.tensor([1, 2])),
    ],
)
def test_lossless_fixes_of_real_valued_losses(loss: str, given: Any, target: Any, wanted: torch.Tensor) -> None:
    arguments = (target, torch.randn(5, 2)) if given is None else (given, target)
    fixed = lossguard.fix(loss, *arguments)
    assert fixed.dtype == wanted.dtype
    assert torch.equal(fixed, wanted)


@pytest.mark.parametrize(
    ("loss", "arguments"),
    [
        ("binary_cross_entropy", (torch.rand(2), torch.tensor([0.1, 0.2], dtype=torch.float64))),
        ("binary_cross_entropy", (torch.rand(2), torch.tensor([0.0, 2.0]))),
        ("embedding", (torch.tensor([1.5, 2.0]), torch.randn(5, 2))),
        ("embedding", (torch.tensor([1, 9]), torch.randn(5, 2))),
    ],
)
def test_what_would_change_a_value_is_refused(loss: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(lossguard.CannotFix):
        lossguard.fix(loss, *arguments)


def test_signs_are_shown_and_never_made() -> None:
    labels = torch.tensor([0.0, 1.0, 1.0])
    report = lossguard.check("soft_margin_loss", torch.randn(3), labels)
    assert [finding.code for finding in report] == ["LG212"]
    assert report.findings[0].fixes[0].safety == "changes-values"
    assert lossguard.fix("soft_margin_loss", torch.randn(3), labels) is labels


def test_the_table_of_losses_and_rules_is_up_to_date() -> None:
    written = (ROOT / "docs" / "losses.md").read_text()
    made = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "make_tables.py")], capture_output=True, text=True, check=True
    ).stdout
    assert written == made, "run `make docs`"
    assert len(re.findall(r"^\| `", written, re.MULTILINE)) == len(known_losses())
