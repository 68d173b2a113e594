"""What is to be watched in a call of these shapes: prepared once, used at every call."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import torch

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
#: The least finite number.
_LOWEST: Final = -sys.float_info.max


@dataclass(frozen=True, slots=True)
class Watched:
    """An argument whose values torch does not check by itself, and the range they must keep."""

    name: str
    least: float
    #: The largest value let in.
    greatest: float
    #: A value outside that is let in all the same.
    ignore: int | None = None
    #: On an accelerator: whether a value outside must not reach the kernel, which would abort or write astray.
    lethal: bool = True
    #: The argument that says how much of this one is read.
    lengths: str | None = None
    #: Whether these are whole numbers.
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Outline:
    """A call on an accelerator without its values: in place of each tensor stands one without memory."""

    call: Call
    observation: Observation


@dataclass(frozen=True, slots=True)
class Plan:
    """How calls of one shape at one site are watched."""

    #: Whether the result is one number on the CPU, and the least it may be; infinite it must not be.
    scalar: bool = False
    lowest: float = _LOWEST
    #: Read before the call on the CPU, because torch would say nothing.
    unchecked: tuple[Watched, ...] = ()
    #: Shielded before the call on an accelerator, whose kernel would abort, write astray or take anything.
    shielded: tuple[Watched, ...] = ()
    #: Of a call on an accelerator: what is known of it without reading anything, to judge it by later.
    outline: Outline | None = None
    #: Whether a bad value corrupts memory, so that the call must not be made.
    dangerous: bool = False
    #: Whether shapes and dtypes alone show a fault that torch does not raise.
    suspicious: bool = False
    #: Whether anything has to be done before the call at all.
    ahead: bool = False
    #: Whether a loss is computed, and not something looked up by an index.
    is_loss: bool = True
    #: Whether the plan would be another with gradients switched on or off, or under autocast.
    fickle: bool = False

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is to be done for such a call but, on the host and after it, to read a few numbers."""
        return not (self.shielded or self.dangerous or self.suspicious or self.ahead or self.outline or self.fickle)


NOTHING: Final = Plan()


def make_plan(loss: str, arguments: Mapping[str, Any]) -> Plan:
    """The plan for calls like this one."""
    elsewhere = any(is_tensor(value) and not (value.is_cpu or value.is_meta) for value in arguments.values())
    outlined = {name: _without_memory(value) for name, value in arguments.items()} if elsewhere else arguments
    try:
        call = read_call(loss, (), outlined)
    except (UnknownLoss, TypeError):
        return NOTHING
    given = {**call.arguments, **{name: arguments[name] for name in call.arguments if name in arguments}}
    facts = {name: _described(value) for name, value in given.items() if value is not None}
    observation = Observation(facts, None, installed_torch(), autocast=autocasts(facts), forward_only=is_forward_only())
    case = Case(call.contract, observation)
    devices = {known.device for known in facts.values() if known.kind == "tensor"}
    if devices == {"cpu"}:
        return _on_cpu(call, case, observation)
    if "meta" in devices or not devices:
        return NOTHING
    return _elsewhere(call, case, observation)


def _without_memory(value: Any) -> Any:
    """`value`, or for a tensor one of its kind that nothing can be read from, not even by mistake."""
    return torch.empty(tuple(value.shape), dtype=value.dtype, device="meta") if is_tensor(value) else value


def _elsewhere(call: Call, case: Case, observation: Observation) -> Plan:
    """A call on an accelerator, some of whose arguments may be on the host."""
    shielded = tuple(
        watched
        for part in case.parts
        if _is_read_by_the_kernel(call, part) and (watched := _watched(case, part)) is not None
    )
    lowest = call.contract.lowest_result
    return Plan(
        is_loss=call.contract.is_loss,
        lowest=_LOWEST if lowest is None else lowest,
        shielded=shielded,
        outline=Outline(call, observation),
        suspicious=_is_suspicious(call, observation),
        ahead=bool(shielded),
    )


def _is_read_by_the_kernel(call: Call, part: Part) -> bool:
    """Whether the values of `part` become addresses, or are held within their bounds by an assert."""
    if part.name in call.contract.corrupting:
        return True
    whole = (part.facts.dtype or "").startswith(("int", "uint"))
    return whole if part.spec.meaning in _INDICES else not whole and part.name in call.contract.asserting


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
        is_loss=call.contract.is_loss,
        lowest=_LOWEST if lowest is None else lowest,
        unchecked=unchecked,
        dangerous=bool(call.contract.corrupting),
        suspicious=_is_suspicious(call, observation),
        ahead=bool(call.contract.corrupting),
        fickle=_is_fickle(case),
    )


def _is_suspicious(call: Call, observation: Observation) -> bool:
    return any(not finding.refused for finding in diagnose(call.contract, observation, _free_rules()))


def _is_fickle(case: Case) -> bool:
    """Whether gradients or autocast may change what dtypes show: not in a call whose floats are of one dtype."""
    dtypes = {part.facts.dtype for part in case.parts if part.facts.kind == "tensor"}
    floats = {dtype for dtype in dtypes if (dtype or "").startswith(("float", "bfloat"))}
    if floats == {"float32"} and not any(p.spec.backward_like and p.facts.dtype not in floats for p in case.parts):
        return False
    states = (replace(case.observation, autocast=a, forward_only=f) for a in (False, True) for f in (False, True))
    found = ((f.code for f in diagnose(case.contract, state, _dtype_rules()) if not f.refused) for state in states)
    return len(set(map(frozenset, found))) > 1


@cache
def _dtype_rules() -> tuple[Rule, ...]:
    return tuple(rule for rule in _free_rules() if rule.code.startswith("LG1"))


@cache
def _free_rules() -> tuple[Rule, ...]:
    return tuple(rule for rule in all_rules() if rule.cost is Cost.METADATA)


def _watched(case: Case, part: Part) -> Watched | None:
    bounds = part.spec.bounds.resolve(case.meant.sizes, case.shapes) if part.spec.bounds is not None else None
    if bounds is None or not (part.facts.dtype or "").startswith(("int", "uint", "float", "bfloat")):
        return None
    greatest = bounds.limit - 1 if bounds.whole else bounds.limit
    return Watched(
        part.name,
        *_representable(bounds.least, greatest, part.facts.dtype or ""),
        bounds.ignore,
        lethal=part.name in case.contract.corrupting or case.is_enforced(part, "bounds"),
        lengths=part.spec.lengths,
        whole=bounds.whole,
    )


def _representable(least: float, greatest: float, dtype: str) -> tuple[float, float]:
    """The bounds cut to what an integer dtype can hold: a tensor cannot be compared with more."""
    if not dtype.startswith(("int", "uint")):
        return least, greatest
    limits = torch.iinfo(getattr(torch, dtype))
    return max(least, limits.min), min(greatest, limits.max)


def _described(value: Any) -> Facts:
    return from_tensor.describe(value) if is_tensor(value) else from_values.observe(value)
