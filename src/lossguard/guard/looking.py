"""The full look at one call: arguments in, report out. Also where a frame of torch gives up its arguments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch

from lossguard.contracts.call import Call, UnknownLoss, read_call
from lossguard.contracts.loss import known_losses
from lossguard.diagnosis import diagnose
from lossguard.facts.observation import Outcome, in_passing, observe_call, with_outcome
from lossguard.facts.torch_versions import one_thread
from lossguard.facts.unwarned import unwarned
from lossguard.reports.report import Report
from lossguard.rules.registry import find_rule

_FUNCTIONAL = "torch.nn.functional"
#: So many values of a result are counted at once.
_PART = 1 << 20


@dataclass(frozen=True, slots=True)
class Look:
    """A call that was looked at, and what came of it."""

    call: Call
    report: Report


def look(loss: Any, arguments: Mapping[str, Any], outcome: Outcome | None = None, *, deep: bool = True) -> Look | None:
    """Judge a call whose outcome is known; None if these are no arguments of that loss."""
    try:
        call = read_call(loss, (), arguments)
    except (UnknownLoss, TypeError):
        return None
    return look_at(call, outcome, deep=deep)


def look_at(call: Call, outcome: Outcome | None = None, *, deep: bool = True) -> Look:
    """Judge `call`. Nothing is run: what came out is told by `outcome`."""
    # The user's own modes must not see our reading.
    with torch._C.DisableTorchFunction(), one_thread(), unwarned():  # noqa: SLF001 - the public twin leaves modes on
        observation = observe_call(call, deep=deep)
    if outcome is not None:
        observation = with_outcome(observation, outcome)
        observation = in_passing(observation) if outcome.raised is None else observation
    # What may be sound is told only where it is followed back to its line, in a program that runs.
    findings = diagnose(call.contract, observation, suspected=deep and outcome is not None and outcome.raised is None)
    if outcome is not None and outcome.raised is None:
        # Torch has taken the call, so whatever says that it does not is mistaken.
        harmful = call.contract.corrupting
        findings = [finding for finding in findings if not finding.refused or finding.argument in harmful]
    return Look(call, Report(tuple(findings)))


def explained_by(seen: Look) -> Look:
    """A look at a call that raised, without the last resort: it would only repeat what was raised."""
    kept = tuple(finding for finding in seen.report.findings if not find_rule(finding.code).last_resort)
    return Look(seen.call, Report(kept, seen.report.subjects))


def outcome_of(result: Any) -> Outcome | None:
    """How many values of a result are NaN or infinite; None where that cannot be seen without waiting."""
    if not isinstance(result, torch.Tensor) or not result.is_cpu or not result.is_floating_point():
        return None
    result = result.detach()
    if result.layout is not torch.strided:
        return Outcome(nan=int(result.isnan().sum()), infinite=int(result.isinf().sum()))
    if result.numel() == 1:
        value = result.item()
        return Outcome(nan=int(math.isnan(value)), infinite=int(math.isinf(value)))
    # The extremes tell first, without a copy of what may be large; NaN shows in them.
    if not result.numel() or all(math.isfinite(bound.item()) for bound in torch.aminmax(result)):
        return Outcome()
    parts = result.reshape(-1).split(_PART)
    nan = sum(int(part.isnan().sum()) for part in parts)
    return Outcome(nan=nan, infinite=sum(int(part.isinf().sum()) for part in parts))


def failure_of(error: BaseException) -> Outcome:
    """What torch raised, as an outcome."""
    return Outcome(raised=f"{type(error).__name__}: {str(error).partition(chr(10))[0]}")


def arguments_in(frame: FrameType | None) -> tuple[str, dict[str, Any]] | None:
    """The loss whose function in `torch.nn.functional` runs in `frame`, and its arguments as they came."""
    if frame is None or frame.f_globals.get("__name__") != _FUNCTIONAL:
        return None
    loss = known_losses().get(frame.f_code.co_name)
    if loss is None:
        return None
    held = frame.f_locals
    if any(name not in held for name in loss.required()):
        return None
    return loss.name, {name: held[name] for name in loss.parameters if name in held}
