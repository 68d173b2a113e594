"""`check` and `fix`: the judge, asked directly about one call of a loss."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from lossguard.contracts.call import Call, read_call
from lossguard.contracts.contract import Role
from lossguard.facts.facts import Facts
from lossguard.facts.observation import Observation, is_tensor, observe_call
from lossguard.facts.unwarned import unwarned
from lossguard.findings import Finding, Sample
from lossguard.fixing.checking import checked
from lossguard.fixing.running import changed, judged, run
from lossguard.fixing.steps import apply, plan
from lossguard.reports.lines import describe, plain
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
        return f"{plain(self.reason)}\n{self.report}"


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
        _assert_runs(call, report, name)
        return target
    fixed = apply(steps, target)
    if fixed is None:
        raise CannotFix(report, f"no fix of the {name} is lossless")
    after = _judge(replace(call, arguments={**call.arguments, name: fixed}), deep=False)
    if _refused(after):
        raise CannotFix(after, f"the loss does not take the fixed {name} either")
    _assert_runs(changed(call, {name: fixed}), report, name)
    return fixed


def _assert_runs(call: Call | None, report: Report, name: str) -> None:
    """Raise `CannotFix` if torch refuses the call, whatever the rules say of it."""
    outcome = run(call, observe_call(call, deep=False)) if call is not None else None
    if outcome is not None and outcome.raised is not None:
        raise CannotFix(report, f"torch does not take this {name}: {outcome.raised}")


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
        findings, observation = judged(call, deep=deep)
        if deep:
            findings = [checked(finding, findings, call) for finding in findings]
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
