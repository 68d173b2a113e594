"""A call of a loss, judged and run: what the rules say of it, and what torch itself makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from lossguard.contracts.call import Call, UnknownLoss, read_call
from lossguard.diagnosis import diagnose
from lossguard.facts.observation import Observation, Outcome, is_tensor, observe_call, with_outcome
from lossguard.facts.unwarned import unwarned
from lossguard.findings import Finding


def judged(call: Call, *, deep: bool) -> tuple[list[Finding], Observation]:
    """The findings about a call and the facts behind them. A deep look also runs what nothing refuses."""
    observation = observe_call(call, deep=deep)
    findings = diagnose(call.contract, observation)
    if deep and not any(finding.refused for finding in findings):
        outcome = run(call, observation)
        if outcome is not None:
            observation = with_outcome(observation, outcome)
            findings = diagnose(call.contract, observation)
    return findings, observation


def changed(call: Call, values: Mapping[str, Any], loss: str = "") -> Call | None:
    """The same call with other arguments or settings, or of another loss; None if there is no such call."""
    own = {**call.settings, **call.arguments}
    if not loss or loss == call.loss.name:
        given = [*call.args, *call.kwargs.values()]
        swaps = {id(own[name]): value for name, value in values.items() if own.get(name) is not None}
        added = {
            name: value
            for name, value in values.items()
            if not any(own.get(name) is item for item in given if item is not None)
        }
        if not added or call.callee is None:
            args = tuple(swaps.get(id(item), item) for item in call.args)
            kwargs = {name: swaps.get(id(item), item) for name, item in call.kwargs.items()}
            try:
                return read_call(call.callee or call.loss.name, args, {**kwargs, **added})
            except (TypeError, UnknownLoss):
                pass
    # A module carries its settings: the function takes them by name.
    try:
        known = read_call(loss or call.loss.name, (), values if loss else {**own, **values})
    except (TypeError, UnknownLoss):
        return None
    return known if known.loss.home else None


def run(call: Call, observation: Observation) -> Outcome | None:
    """What torch itself makes of the call; only on the CPU, where a failure stays a Python exception."""
    if not may_run(call, observation):
        return None
    import torch

    function = call.callee
    if function is None:
        function = getattr(import_module(call.loss.home), call.loss.name)
    try:
        with torch.no_grad(), unwarned():
            result = function(*call.args, **_without_effect(call))
    except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError, AssertionError) as error:
        return Outcome(raised=f"{type(error).__name__}: {str(error).partition(chr(10))[0]}")
    result = getattr(result, "loss", result)
    if not call.contract.is_loss or not is_tensor(result):
        return Outcome()
    if result.is_complex():
        result = torch.view_as_real(result.resolve_conj())
    from lossguard.facts import from_tensor

    seen = from_tensor.observe(result)
    # A fake tensor, or one inside a transform, has no values that could be read.
    return None if seen.nan is None or seen.infinite is None else Outcome(nan=seen.nan, infinite=seen.infinite)


def _without_effect(call: Call) -> dict[str, Any]:
    """The keyword arguments, with a copy in place of an `out` that would be written to.

    An `out` that lies over another argument stays: torch refuses it before it writes.
    """
    kwargs = dict(call.kwargs)
    out: Any = kwargs.get("out")
    if is_tensor(out):
        others = [*call.args, *(value for name, value in kwargs.items() if name != "out")]
        memory = {value.untyped_storage().data_ptr() for value in others if is_tensor(value)}
        itself = any(stride == 0 and size > 1 for stride, size in zip(out.stride(), out.shape, strict=True))
        if not itself and out.untyped_storage().data_ptr() not in memory:
            kwargs["out"] = out.clone()
    return kwargs


def may_run(call: Call, observation: Observation) -> bool:
    """Whether running shows something and harms nothing: on the CPU, with no value that corrupts memory."""
    devices = {facts.device for facts in observation.arguments.values() if facts.kind == "tensor"}
    proven = all(
        facts.out_of_bounds == 0 and facts.all_finite
        for name, facts in observation.arguments.items()
        if name in call.contract.corrupting
    )
    # An embedding with max_norm rescales its table, and a look must not; a module without a function
    # behind it can be run only where there is one.
    runnable = call.loss.home != "" or call.callee is not None
    return devices == {"cpu"} and proven and runnable and call.settings.get("max_norm") is None
