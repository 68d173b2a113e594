"""The facts of one call of a loss: of each argument, and of what came out when it ran."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lossguard.contracts.call import Call
from lossguard.contracts.contract import Argument, Meaning, Role
from lossguard.contracts.interpretation import Interpretation, interpret
from lossguard.facts import from_values
from lossguard.facts.facts import Facts


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the loss itself gave: how many of its values are NaN or infinite, or what it raised."""

    nan: int = 0
    infinite: int = 0
    raised: str | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """All that is known of one call."""

    arguments: Mapping[str, Facts] = field(default_factory=dict)
    outcome: Outcome | None = None
    #: The torch the call runs on; None when it is not known.
    torch_version: tuple[int, int] | None = None
    class_as_function: bool = False


def observe_call(call: Call, *, deep: bool = True) -> Observation:
    """Look at the arguments of `call`: the target's values always, the input's only when `deep`."""
    present = {name: value for name, value in call.arguments.items() if not _is_absent(call, name, value)}
    facts = {name: _described(value) for name, value in present.items()}
    meant = interpret(call.contract, {name: known.shape for name, known in facts.items()})
    for argument in meant.reading.arguments if meant.reading else ():
        value = present.get(argument.name)
        if argument.name in present and (deep or argument.role is not Role.INPUT):
            facts[argument.name] = _observed(value, facts, argument, meant, deep=deep)
    return Observation(facts, None, installed_torch(), call.class_as_function)


def installed_torch() -> tuple[int, int] | None:
    """The version of the torch this process has loaded."""
    version = getattr(sys.modules.get("torch"), "__version__", None)
    if version is None:
        return None
    major, minor, *_ = str(version).split(".")
    return int(major), int(minor)


def is_tensor(value: Any) -> bool:
    """Whether `value` is a torch tensor; a process without torch has none."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _is_absent(call: Call, name: str, value: Any) -> bool:
    return value is None and name in call.loss.defaults


def _described(value: Any) -> Facts:
    if not is_tensor(value):
        return from_values.observe(value)
    from lossguard.facts import from_tensor

    return from_tensor.describe(value)


def _observed(
    value: Any, facts: Mapping[str, Facts], argument: Argument, meant: Interpretation, *, deep: bool
) -> Facts:
    bounds = argument.bounds.resolve(meant.sizes) if argument.bounds else None
    if not is_tensor(value):
        return from_values.observe(value, bounds)
    from lossguard.facts import from_tensor

    seen = from_tensor.observe(value, bounds)
    axis = _class_axis(argument, facts, meant, deep=deep)
    return seen if axis is None else from_tensor.observe_rows(value, seen, axis)


def _class_axis(argument: Argument, facts: Mapping[str, Facts], meant: Interpretation, *, deep: bool) -> int | None:
    """The axis along which the rows of `argument` are worth a look, if any."""
    axis = meant.layout.class_axis if meant.layout else None
    classes = meant.size("C")
    if axis is None or classes is None:
        return None
    if argument.role is Role.INPUT:
        return axis if deep and classes > 1 else None
    if argument.meaning is Meaning.CLASS_PROBABILITIES:
        return axis
    if argument.meaning is not Meaning.CLASS_INDICES:
        return None
    return one_hot_axis(facts["input"].shape, facts[argument.name].shape, axis)


def one_hot_axis(shape: tuple[int, ...] | None, target: tuple[int, ...] | None, class_axis: int) -> int | None:
    """The axis on which a target of this shape could hold one entry for each class of the input."""
    if shape is None or target is None or len(target) != len(shape):
        return None
    if target == shape:
        return class_axis
    rest = shape[:class_axis] + shape[class_axis + 1 :]
    return len(target) - 1 if target == (*rest, shape[class_axis]) else None


def with_outcome(observation: Observation, outcome: Outcome) -> Observation:
    """The same observation, with what the loss gave."""
    return replace(observation, outcome=outcome)
