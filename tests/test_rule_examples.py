"""Torch is the truth: every rule's examples are run, and what the rule says of torch is compared with torch."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import lossguard
from examples import EXAMPLES, SCOPE, behaviour, with_arguments, written
from lossguard.findings import Safety
from lossguard.rules.rule import Example, Rule

NAMES = [name for name, _, _ in EXAMPLES]
PAIRS = [(rule, example) for _, rule, example in EXAMPLES]
QUIET = {"silent": "finite", "sound": "finite"}


@pytest.mark.parametrize(("rule", "example"), PAIRS, ids=NAMES)
def test_torch_behaves_as_the_example_says(rule: Rule, example: Example) -> None:
    call = written(example)
    if example.torch == "corrupts":
        return  # nobody runs what corrupts memory
    assert behaviour(call) == QUIET.get(example.torch, example.torch), f"{rule.code}: {example.call}"


@pytest.mark.parametrize(("rule", "example"), PAIRS, ids=NAMES)
def test_check_finds_what_breaks_and_leaves_what_passes(rule: Rule, example: Example) -> None:
    call = written(example)
    codes = [finding.code for finding in lossguard.check(call.loss, *call.args, **call.kwargs)]
    assert (rule.code in codes) == example.breaks, f"{example.call} gives {codes}"


@pytest.mark.parametrize(("rule", "example"), PAIRS, ids=NAMES)
def test_verdict_agrees_with_torch(rule: Rule, example: Example) -> None:
    call = written(example)
    report = lossguard.check(call.loss, *call.args, **call.kwargs)
    fails = example.torch.startswith("raises") or example.torch in {"corrupts", "nan"}
    assert (report.verdict == "broken") == fails, f"{rule.code}: {example.call}\n{report}"
    if example.torch == "sound":
        assert report.verdict == "sound", report


@pytest.mark.parametrize(("rule", "example"), PAIRS, ids=NAMES)
def test_lossless_fixes_applied_as_code_give_a_call_that_torch_takes(rule: Rule, example: Example) -> None:
    call = written(example)
    read = call.read()
    report = lossguard.check(call.loss, *call.args, **call.kwargs)
    errors = [finding for finding in report if finding.is_error]
    fixes = [next((r for r in f.fixes if r.safety is Safety.LOSSLESS and r.code), None) for f in errors]
    if not errors or None in fixes or not example.torch.startswith("raises") or _has_meta(read.arguments):
        return  # nothing to fix, a part that only the user can fix, or values that are nowhere
    arguments: dict[str, Any] = dict(read.arguments)
    # Shapes first, as fixing does it.
    for finding, fix in sorted(zip(errors, fixes, strict=True), key=lambda pair: ".long" in str(pair[1])):
        assert fix is not None
        arguments[finding.argument] = eval(fix.code, {**SCOPE, **arguments})
    fixed = with_arguments(call, read.arguments, arguments)
    assert not behaviour(fixed).startswith("raises"), rule.code
    assert lossguard.check(fixed.loss, *fixed.args, **fixed.kwargs).verdict != "broken", rule.code


def _has_meta(arguments: Any) -> bool:
    return any(isinstance(value, torch.Tensor) and value.is_meta for value in arguments.values())


def test_most_rules_that_promise_a_lossless_fix_were_fixed_above() -> None:
    """The test above returns early for some examples; here is that it does not for all."""
    fixed = set()
    for rule, example in PAIRS:
        call = written(example)
        for finding in lossguard.check(call.loss, *call.args, **call.kwargs):
            if finding.is_error and any(fix.safety is Safety.LOSSLESS for fix in finding.fixes):
                fixed.add(rule.code)
    assert {"LG101", "LG102", "LG103", "LG109", "LG401", "LG402", "LG502"} <= fixed
