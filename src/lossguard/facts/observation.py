"""The facts of one call of a loss: of each argument, and of what came out when it ran."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any

from lossguard.contracts.call import Call
from lossguard.contracts.contract import Argument, Meaning, Role
from lossguard.contracts.interpretation import Interpretation, interpret
from lossguard.contracts.shapes import Shape
from lossguard.facts import from_values
from lossguard.facts.facts import Facts, Offender
from lossguard.records import dataclass, field, replace


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
    #: Whether torch casts floats by itself before a loss sees them.
    autocast: bool = False
    #: Whether the call is made where no gradient is wanted, so that nothing can go wrong in backward.
    forward_only: bool = False
    #: Whether the program goes on and makes more such calls, so that a doubt may wait for the next.
    in_passing: bool = False


def observe_call(call: Call, *, deep: bool = True) -> Observation:
    """Look at the arguments of `call`: the target's values always, the input's only when `deep`."""
    present = {name: value for name, value in call.arguments.items() if not _is_absent(call, name, value)}
    facts = {name: _described(value) for name, value in present.items()}
    meant = interpret(call.contract, shapes_of(facts))
    for argument in meant.reading.arguments if meant.reading else ():
        watched = deep or argument.role not in {Role.INPUT, Role.OTHER}
        if argument.name in present and watched and argument.meaning is not Meaning.ANYTHING:
            facts[argument.name] = _observed(present, facts, argument, meant, deep=deep)
            if argument.steps is not None and facts[argument.name].out_of_bounds == 0:
                long = _needs_more_steps(present, argument)
                facts[argument.name] = replace(facts[argument.name], offenders=long)
    return Observation(facts, None, installed_torch(), call.class_as_function, autocasts(facts), is_forward_only())


def shapes_of(arguments: Mapping[str, Facts]) -> dict[str, Shape | None]:
    """The shapes of the arguments; a plain number has none and fits everywhere."""
    return {name: facts.shape for name, facts in arguments.items() if facts.kind not in {"int", "float", "bool"}}


def installed_torch() -> tuple[int, int] | None:
    """The version of the torch this process has loaded."""
    version = getattr(sys.modules.get("torch"), "__version__", None)
    found = re.match(r"(\d+)\.(\d+)", str(version))
    return None if found is None else (int(found[1]), int(found[2]))


def autocasts(arguments: Mapping[str, Facts]) -> bool:
    """Whether autocast is on, here and now, for a device that arguments are on."""
    devices = {known.device.partition(":")[0] for known in arguments.values() if known.device is not None}
    if not devices or "torch" not in sys.modules:
        return False
    from lossguard.facts.torch_versions import autocasts_on

    return any(map(autocasts_on, devices))


def is_forward_only() -> bool:
    """Whether gradients are switched off, here and now."""
    torch = sys.modules.get("torch")
    return torch is not None and not torch.is_grad_enabled()


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


def _read_part(labels: Any, lengths: Any, harmless: int) -> Any:
    """The labels with those that no length reaches made harmless; all of them where lengths are no numbers."""
    import torch

    from lossguard.facts.from_tensor import within_lengths

    try:
        return within_lengths(labels, torch.as_tensor(lengths), harmless)
    except (RuntimeError, TypeError, ValueError, NotImplementedError):
        return labels


def _needs_more_steps(present: Mapping[str, Any], argument: Argument) -> tuple[Offender, ...]:
    """The label sequences that need more steps than they have; none where lengths are no numbers."""
    import torch

    from lossguard.facts.from_tensor import needs_more_steps

    labels, steps = (present[name] for name in argument.steps or ())
    try:
        return needs_more_steps(labels, torch.as_tensor(present[argument.name]), torch.as_tensor(steps))
    except (RuntimeError, TypeError, ValueError, NotImplementedError, IndexError):
        return ()


def _observed(
    present: Mapping[str, Any], facts: Mapping[str, Facts], argument: Argument, meant: Interpretation, *, deep: bool
) -> Facts:
    value = present[argument.name]
    shapes = shapes_of(facts)
    bounds = argument.bounds.resolve(meant.sizes, shapes) if argument.bounds else None
    if not is_tensor(value):
        return from_values.observe(value, bounds)
    from lossguard.facts import from_history, from_rows, from_tensor

    lengths = present.get(argument.lengths or "")
    if bounds is not None and lengths is not None:
        value = _read_part(value, lengths, 1 if bounds.excluded == 0 else 0)
    seen = from_tensor.observe(value, bounds, facts[argument.name])
    other = argument.same_dtype_as or argument.backward_like
    if other is not None and seen.dtype != facts[other].dtype:
        seen = from_tensor.observe_exactness(value, seen)
    if argument.role is Role.INPUT and deep:
        seen = from_history.observe_maker(value, seen)
    axes = _class_axes(argument, facts, meant, deep=deep)
    return from_rows.observe_rows(value, seen, axes, every=_stands_alone(argument, seen)) if axes else seen


def _stands_alone(argument: Argument, facts: Facts) -> bool:
    """Whether the rows stand for labels that fixing may take from them, so that each row must be seen."""
    if argument.role is Role.INPUT:
        return False
    return argument.meaning is Meaning.CLASS_INDICES or (
        argument.dtypes is not None and facts.dtype not in argument.dtypes
    )


def _class_axes(
    argument: Argument, facts: Mapping[str, Facts], meant: Interpretation, *, deep: bool
) -> tuple[int, ...]:
    """The axes along which the rows of `argument` are worth a look; the first is the loss's own."""
    axis = meant.layout.class_axis if meant.layout else None
    classes = meant.size("C")
    if axis is None or classes is None:
        return ()
    if argument.role is Role.INPUT or argument.meaning is Meaning.LOG_PROBABILITIES:
        return (axis,) if deep and classes > 1 else ()
    leader = meant.reading.leaders[0] if meant.reading else "input"
    axes = one_hot_axes(facts[leader].shape, facts[argument.name].shape, axis)
    if argument.meaning is Meaning.CLASS_PROBABILITIES:
        return axes if axis in axes else (axis,)
    return axes if argument.meaning is Meaning.CLASS_INDICES else ()


def one_hot_axes(shape: tuple[int, ...] | None, target: tuple[int, ...] | None, class_axis: int) -> tuple[int, ...]:
    """The axes on which a target of this shape could hold one entry for each class of the input.

    Two, where the classes may stand on the loss's axis as well as last, as `one_hot` puts them.
    """
    if shape is None or target is None or len(target) != len(shape):
        return ()
    rest = shape[:class_axis] + shape[class_axis + 1 :]
    last = len(target) - 1
    own = (class_axis,) if target == shape else ()
    return (*own, last) if target == (*rest, shape[class_axis]) and last not in own else own


def in_passing(observation: Observation) -> Observation:
    """The same observation, as one of many that a running program gives."""
    return replace(observation, in_passing=True)


def with_outcome(observation: Observation, outcome: Outcome) -> Observation:
    """The same observation, with what the loss gave."""
    return replace(observation, outcome=outcome)
