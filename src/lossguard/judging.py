"""`check` and `fix`: the judge, asked directly about one call of a loss."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from importlib import import_module
from typing import Any

from lossguard.contracts.call import Call, read_call
from lossguard.contracts.contract import Role
from lossguard.diagnosis import diagnose
from lossguard.facts.facts import Facts
from lossguard.facts.observation import Observation, Outcome, is_tensor, observe_call, with_outcome
from lossguard.facts.unwarned import unwarned
from lossguard.findings import Finding, Sample
from lossguard.fixing.steps import apply, plan
from lossguard.reports.lines import describe
from lossguard.reports.report import Report


class CannotFix(ValueError):
    """No lossless fix exists. Carries the report, and the positions and values in the way."""

    def __init__(self, report: Report, reason: str) -> None:
        super().__init__(report, reason)
        self.report = report
        self.reason = reason

    @property
    def samples(self) -> tuple[Sample, ...]:
        """The values that stand in the way, with their positions."""
        return tuple(dict.fromkeys(sample for finding in self.report for sample in finding.samples))

    @property
    def positions(self) -> tuple[tuple[int, ...], ...]:
        """Where in the target the values that stand in the way are."""
        return tuple(sample.position for sample in self.samples if sample.position is not None)

    @property
    def values(self) -> tuple[int | float | None, ...]:
        """The values that stand in the way."""
        return tuple(sample.value for sample in self.samples)

    def __str__(self) -> str:
        return f"{self.reason}\n{self.report}"


def check(loss: Any, /, *args: Any, deep: bool = True, **kwargs: Any) -> Report:
    """Judge one call of a loss without changing anything: `check(F.nll_loss, input, target)`.

    `loss` is a name, a function or a module; then come its own arguments. Bad data never raises, an
    unknown loss or a wrong argument does. `deep=False` leaves the input's values unread.

    >>> import lossguard
    >>> report = lossguard.check("cross_entropy", [[0.2, 0.8]], [1])
    >>> report.verdict
    <Verdict.BROKEN: 'broken'>
    """
    return _judge(read_call(loss, args, kwargs), deep=deep)


def fix(loss: Any, /, *args: Any, **kwargs: Any) -> Any:
    """The target, fixed so that the loss takes it, if no label is lost; raise `CannotFix` otherwise.

    A target that is sound already comes back as the same object.

    >>> import torch, lossguard
    >>> lossguard.fix("cross_entropy", torch.randn(3, 5), torch.tensor([1.0, 4.0, 0.0]))
    tensor([1, 4, 0])
    """
    call = read_call(loss, args, kwargs)
    report = _judge(call, deep=False)
    name = _fixed_argument(call)
    target = call.arguments.get(name)
    if others := [finding for finding in _refused(report) if finding.argument != name]:
        raise CannotFix(report, f"the fault is not in the {name}: {others[0].message}")
    steps = plan(report.findings, name)
    if steps is None or (steps and not is_tensor(target)):
        raise CannotFix(report, f"no fix of the {name} is lossless")
    if not steps:
        return target
    fixed = apply(steps, target)
    after = _judge(replace(call, arguments={**call.arguments, name: fixed}), deep=False)
    if _refused(after):
        raise CannotFix(after, f"the loss does not take the fixed {name} either")
    return fixed


def _fixed_argument(call: Call) -> str:
    """The argument that fixing is about: the target, or the index of an index operation."""
    arguments = call.contract.readings[0].arguments
    for role in (Role.TARGET, Role.INDEX):
        for argument in arguments:
            if argument.role is role:
                return argument.name
    raise TypeError(f"{call.contract.shown} has no target that could be fixed")


def _refused(report: Report) -> list[Finding]:
    """The errors that make torch refuse the call; a NaN that it computes is no matter of fixing."""
    return [finding for finding in report.findings if finding.is_error and finding.refused]


def _judge(call: Call, *, deep: bool) -> Report:
    with unwarned(), _on_one_thread():
        observation = observe_call(call, deep=deep)
        findings = diagnose(call.contract, observation)
        if deep and not any(finding.refused for finding in findings):
            outcome = _run(call, observation)
            if outcome is not None:
                findings = diagnose(call.contract, with_outcome(observation, outcome))
    return Report(tuple(findings), (_subject(call, observation),))


def _on_one_thread() -> AbstractContextManager[None]:
    """Start no threads for a look: a process that is forked later would wait for them."""
    if "torch" not in sys.modules:
        return nullcontext()
    from lossguard.facts.torch_versions import one_thread

    return one_thread()


def _subject(call: Call, observation: Observation) -> str:
    shown = ", ".join(f"{name} {_in_short(facts)}" for name, facts in observation.arguments.items())
    return f"{call.contract.shown}({shown})"


def _in_short(facts: Facts) -> str:
    """`float32[64, 5]` for a tensor, `list [64]` for what is none."""
    described = describe(facts.evidence()).partition(";")[0].removeprefix("shape ")
    return described if facts.kind in {None, "tensor"} else f"{facts.kind} {described}".strip()


def _run(call: Call, observation: Observation) -> Outcome | None:
    """What torch itself makes of the call; only on the CPU, where a failure stays a Python exception."""
    if not _may_run(call, observation):
        return None
    import torch

    function = call.callee
    if function is None:
        function = getattr(import_module(call.loss.home), call.loss.name)
    try:
        with torch.no_grad():
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


def _may_run(call: Call, observation: Observation) -> bool:
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
