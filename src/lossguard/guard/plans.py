"""What is to be watched in a call of these shapes: prepared once, used at every call."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from lossguard.contracts.call import Call, UnknownLoss, read_call
from lossguard.contracts.contract import Meaning
from lossguard.diagnosis import diagnose
from lossguard.facts import from_tensor, from_values
from lossguard.facts.facts import Facts
from lossguard.facts.observation import Observation, autocasts, installed_torch, is_forward_only, is_tensor
from lossguard.rules.case import Case, Part
from lossguard.rules.registry import all_rules
from lossguard.rules.rule import Cost, Rule

_INDICES: Final = frozenset({Meaning.CLASS_INDICES, Meaning.INDICES, Meaning.LABEL_SEQUENCES})
_REDUCED: Final = frozenset({"mean", "sum", "batchmean"})


@dataclass(frozen=True, slots=True)
class Watched:
    """An argument whose values torch does not check by itself, and the range they must keep."""

    name: str
    least: float
    #: The largest value let in.
    greatest: float
    #: A value outside that is let in all the same.
    ignore: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """How calls of one shape at one site are watched."""

    #: Whether the result is one number on the CPU, and the least it may be.
    scalar: bool = False
    lowest: float = -math.inf
    #: Read before the call on the CPU, because torch would say nothing.
    unchecked: tuple[Watched, ...] = ()
    #: Shielded before the call on an accelerator, whose kernel would abort or write astray.
    shielded: tuple[Watched, ...] = ()
    #: Whether a bad value corrupts memory, so that the call must not be made.
    dangerous: bool = False
    #: Whether shapes and dtypes alone show a fault that torch does not raise.
    suspicious: bool = False
    #: Whether anything has to be done before the call at all.
    ahead: bool = False


NOTHING: Final = Plan()


def make_plan(loss: str, arguments: Mapping[str, Any]) -> Plan:
    """The plan for calls like this one."""
    try:
        call = read_call(loss, (), arguments)
    except (UnknownLoss, TypeError):
        return NOTHING
    facts = {name: _described(value) for name, value in call.arguments.items() if value is not None}
    observation = Observation(facts, None, installed_torch(), autocast=autocasts(facts), forward_only=is_forward_only())
    case = Case(call.contract, observation)
    devices = {known.device for known in facts.values() if known.kind == "tensor"}
    if devices == {"cpu"}:
        return _on_cpu(call, case, observation)
    if "meta" in devices or len(devices) != 1:
        return NOTHING
    shielded = tuple(
        watched
        for part in case.parts
        if part.spec.meaning in _INDICES and (watched := _watched(case, part)) is not None
    )
    return Plan(shielded=shielded, ahead=bool(shielded), suspicious=_is_suspicious(call, observation))


def _on_cpu(call: Call, case: Case, observation: Observation) -> Plan:
    unchecked = tuple(
        watched
        for part in case.parts
        if part.name in call.contract.corrupting or not case.is_enforced(part, "bounds")
        if (watched := _watched(case, part)) is not None
    )
    reduces = "reduction" in call.loss.parameters and call.contract.reduction in _REDUCED
    floating = case.input is not None and (case.input.facts.dtype or "").startswith(("float", "bfloat"))
    lowest = call.contract.lowest_result
    return Plan(
        scalar=reduces and floating,
        lowest=-math.inf if lowest is None else lowest,
        unchecked=unchecked,
        dangerous=bool(call.contract.corrupting),
        suspicious=_is_suspicious(call, observation),
        ahead=bool(call.contract.corrupting),
    )


def _is_suspicious(call: Call, observation: Observation) -> bool:
    return any(not finding.refused for finding in diagnose(call.contract, observation, _free_rules()))


@cache
def _free_rules() -> tuple[Rule, ...]:
    return tuple(rule for rule in all_rules() if rule.cost is Cost.METADATA)


def _watched(case: Case, part: Part) -> Watched | None:
    bounds = part.spec.bounds.resolve(case.meant.sizes, case.shapes) if part.spec.bounds is not None else None
    if bounds is None or not (part.facts.dtype or "").startswith(("int", "uint", "float", "bfloat")):
        return None
    greatest = bounds.limit - 1 if bounds.whole else bounds.limit
    return Watched(part.name, bounds.least, greatest, bounds.ignore)


def _described(value: Any) -> Facts:
    return from_tensor.describe(value) if is_tensor(value) else from_values.observe(value)
