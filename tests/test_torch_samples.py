"""Torch's own samples: what its developers call right is not judged broken, what they call wrong is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

import lossguard
from examples import Written, behaviour

pytest.importorskip("expecttest", reason="torch's samples need it")

from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db

OPERATORS = {"nll_loss": 61, "cross_entropy": 21}
MODULES = {"NLLLoss": 28, "CrossEntropyLoss": 105}
ERRORS = {"NLLLoss": 1, "CrossEntropyLoss": 7}
FLOATS = [torch.float32, torch.float64]


def _operator_calls(name: str, dtype: torch.dtype) -> Iterator[Written]:
    function = getattr(torch.nn.functional, name)
    for operator in op_db:
        if operator.name == f"nn.functional.{name}":
            for sample in operator.sample_inputs("cpu", dtype, requires_grad=True):
                yield Written(function, (sample.input, *sample.args), sample.kwargs)


def _module_entry(name: str) -> Any:
    return next(entry for entry in module_db if entry.module_cls.__name__ == name)


def _module_call(entry: Any, sample: Any) -> Written:
    module = entry.module_cls(*sample.constructor_input.args, **sample.constructor_input.kwargs)
    return Written(module, sample.forward_input.args, sample.forward_input.kwargs)


def _assert_not_wrongly_broken(call: Written) -> None:
    report = lossguard.check(call.loss, *call.args, **call.kwargs)
    torch_is_nan = behaviour(call) == "nan"
    assert (report.verdict == "broken") == torch_is_nan, report


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", OPERATORS)
def test_no_operator_sample_is_judged_broken(name: str, dtype: torch.dtype) -> None:
    calls = list(_operator_calls(name, dtype))
    assert len(calls) >= OPERATORS[name]
    for call in calls:
        _assert_not_wrongly_broken(call)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", MODULES)
def test_no_module_sample_is_judged_broken(name: str, training: bool) -> None:
    entry = _module_entry(name)
    samples = entry.module_inputs_func(entry, device="cpu", dtype=torch.float32, requires_grad=False, training=training)
    assert len(samples) >= MODULES[name]
    for sample in samples:
        _assert_not_wrongly_broken(_module_call(entry, sample))


@pytest.mark.parametrize("name", ERRORS)
def test_every_module_error_input_is_judged_broken(name: str) -> None:
    entry = _module_entry(name)
    errors = entry.module_error_inputs_func(
        entry, device="cpu", dtype=torch.float32, requires_grad=False, training=True
    )
    assert len(errors) >= ERRORS[name]
    for error in errors:
        call = _module_call(entry, error.module_error_input)
        assert behaviour(call) == f"raises {error.error_type.__name__}"
        report = lossguard.check(call.loss, *call.args, **call.kwargs)
        assert report.verdict == "broken"
        assert [finding.code for finding in report] != ["LG506"], report
