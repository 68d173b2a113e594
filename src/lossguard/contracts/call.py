"""From what a user wrote, a name, a function or a module and its arguments, to a contract.

Torch is never imported: functions and modules are known by their own module and class names.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

from lossguard.contracts.contract import Contract
from lossguard.contracts.loss import Loss, Settings, known_losses
from lossguard.records import dataclass, field, replace


class UnknownLoss(LookupError):
    """The loss asked for has no contract; the text names the nearest ones that have."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a loss: its contract and the tensors it was given."""

    loss: Loss
    contract: Contract
    arguments: Mapping[str, Any]
    settings: Mapping[str, Any]
    #: True when the user called the module's class where an instance belongs.
    class_as_function: bool = False
    #: The module itself, when the call was one of a module.
    callee: Any = None
    #: What the user passed, for running the call again.
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)


def read_call(loss: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    """Understand `loss(*args, **kwargs)`; raise `UnknownLoss` or `TypeError` if it is no such call."""
    if isinstance(loss, functools.partial):
        return read_call(loss.func, (*loss.args, *args), {**loss.keywords, **kwargs})
    if isinstance(loss, str):
        found = _loss_named(loss)
        return _bind(found, found.shown, found.parameters, {}, args, kwargs)
    owner = getattr(loss, "__self__", None)
    if hasattr(owner, "forward") and getattr(loss, "__name__", "") in {"forward", "__call__"}:
        loss = owner
    if isinstance(loss, type):
        found = _loss_of_class(loss)
        call = _bind(found, f"nn.{found.module}", found.parameters, {}, args, kwargs)
        return replace(call, class_as_function=True)
    if hasattr(loss, "forward"):
        found = _loss_of_class(type(loss))
        settings = _settings_of(found, loss)
        call = _bind(found, f"nn.{found.module}", found.forward_parameters, settings, args, kwargs)
        return replace(call, callee=loss)
    found = _loss_of_function(loss)
    if type(owner).__module__.partition(".")[0] == "torch" and hasattr(owner, "dtype"):
        args = (owner, *args)
    return _bind(found, found.shown, found.parameters, {}, args, kwargs)


def loss_of(callee: Any) -> Loss | None:
    """The loss that a function, a module or a class of torch is; None for anything else."""
    try:
        if isinstance(callee, type):
            return _loss_of_class(callee)
        return _loss_of_class(type(callee)) if hasattr(callee, "forward") else _loss_of_function(callee)
    except (UnknownLoss, TypeError, AttributeError):
        return None


def read_loss(source: str) -> Loss:
    """The loss that a piece of source calls: `F.nll_loss`, `nn.NLLLoss(weight=w)`, `torch.Tensor.__getitem__`."""
    return _loss_named(source.partition("(")[0])


def _settings_of(loss: Loss, module: Any) -> dict[str, Any]:
    if loss.from_module is not None:
        return loss.from_module(module)
    own = (name for name in loss.parameters if name not in loss.forward_parameters)
    return {name: getattr(module, name) for name in own if hasattr(module, name)}


def _loss_named(name: str) -> Loss:
    losses = known_losses()
    bare = name.strip().rpartition(".")[2].strip("_")
    if (found := losses.get(bare)) is not None:
        return found
    by_module = {loss.module: loss for loss in losses.values()}
    if (found := by_module.get(bare)) is not None:
        return found
    # Who writes in small letters means the function, who writes capitals the module.
    known = [*by_module, *losses] if bare.islower() else [*losses, *by_module]
    spellings = {word.lower().replace("_", ""): word for word in known if word}
    import difflib

    near = difflib.get_close_matches(bare.lower().replace("_", ""), spellings, n=3, cutoff=0.5)
    words = " or ".join(repr(spellings[word]) for word in near) or ", ".join(map(repr, sorted(losses)))
    raise UnknownLoss(f"there is no contract for {name!r}; the nearest known: {words}")


def _loss_of_class(cls: type) -> Loss:
    by_module = {loss.module: loss for loss in known_losses().values()}
    for base in cls.__mro__:
        if base.__module__.startswith("torch.nn.") and base.__name__ in by_module:
            own_forward = getattr(cls, "forward", None) is not getattr(base, "forward", None)
            if own_forward:
                raise UnknownLoss(
                    f"{cls.__name__} has a forward of its own; check the torch loss it calls instead, "
                    f"such as {by_module[base.__name__].shown}"
                )
            return by_module[base.__name__]
    if cls.__module__.startswith("torch.nn."):
        return _loss_named(cls.__name__)
    raise UnknownLoss(f"{cls.__name__} is no loss of torch; check the torch loss it calls, by name or function")


def _loss_of_function(function: Any) -> Loss:
    name = getattr(function, "__name__", None)
    owner = getattr(function, "__objclass__", None) or type(getattr(function, "__self__", None))
    module = getattr(function, "__module__", None) or owner.__module__
    if name is None or not callable(function):
        raise TypeError(f"a loss is a name, a function or a module; this is {type(function).__name__}")
    if module.startswith("torch") or (module == "_operator" and name.strip("_") in known_losses()):
        return _loss_named(name)
    raise UnknownLoss(f"{module}.{name} is no loss of torch; check the torch loss it calls, by name or function")


def _bind(
    loss: Loss,
    shown: str,
    parameters: tuple[str, ...],
    preset: Mapping[str, Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> Call:
    """Put each value at its parameter, as Python itself would, and build the contract."""
    if len(args) > len(parameters):
        raise TypeError(f"{shown} takes {len(parameters)} arguments ({_listed(parameters)}); {len(args)} were given")
    values = {**loss.defaults, **preset, **dict(zip(parameters, args, strict=False))}
    for name, value in kwargs.items():
        if name not in parameters:
            raise TypeError(f"{shown} has no argument {name!r}; it has {_listed(parameters)}")
        if name in parameters[: len(args)]:
            raise TypeError(f"{shown} was given {name!r} twice")
        values[name] = value
    if missing := [name for name in loss.required() if name not in values]:
        raise TypeError(f"{shown} needs {_listed(tuple(missing))}; it has {_listed(parameters)}")
    if loss.prepare is not None:
        values = loss.prepare(values)
    settled = {*loss.parameters} - {*loss.tensors}
    order = [name for name in loss.parameters if name in values]
    order += [name for name in values if name not in loss.parameters]
    tensors = {name: values.pop(name) for name in order if name not in settled}
    settings = {name: _plain(value) for name, value in values.items()}
    given = frozenset(name for name, value in tensors.items() if value is not None)
    return Call(loss, _contract(loss, shown, settings, given), tensors, settings, args=args, kwargs=dict(kwargs))


_PLAIN: Final = frozenset({bool, int, float, str, type(None)})
#: Contracts by loss and settings; a program has few of them and asks for them often.
_CONTRACTS: Final[dict[tuple[Any, ...], Contract]] = {}
_CONTRACTS_KEPT: Final = 256


def _contract(loss: Loss, shown: str, settings: Mapping[str, Any], given: frozenset[str]) -> Contract:
    """The contract of `loss` under these settings, built once where they are plain values."""
    kinds = tuple(map(type, settings.values()))
    if not _PLAIN.issuperset(kinds):
        return replace(loss.build(Settings(settings, given)), shown=shown)
    # With the types, because True equals 1 and 1 equals 1.0.
    key = (loss.name, shown, given, tuple(settings.items()), kinds)
    known = _CONTRACTS.get(key)
    if known is None:
        known = replace(loss.build(Settings(settings, given)), shown=shown)
        if len(_CONTRACTS) >= _CONTRACTS_KEPT:
            _CONTRACTS.clear()
        _CONTRACTS[key] = known
    return known


def _plain(value: Any) -> Any:
    """A setting as torch reads it: whatever counts as an index (a numpy integer, a scalar tensor) is an int."""
    if isinstance(value, bool | int | float | str) or not hasattr(value, "__index__"):
        return value
    try:
        return value.__index__()
    except (TypeError, ValueError, RuntimeError):
        return value


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)
