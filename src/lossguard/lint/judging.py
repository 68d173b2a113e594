"""Calls of losses and index operations, laid before the judge as far as the source tells them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from lossguard.contracts.contract import Contract
from lossguard.contracts.interpretation import interpret
from lossguard.contracts.loss import Loss, Settings, known_losses
from lossguard.diagnosis import diagnose
from lossguard.facts.facts import Facts
from lossguard.facts.observation import Observation, shapes_of
from lossguard.findings import Finding
from lossguard.lint.arguments import Arguments
from lossguard.lint.interpreter import Interpreter
from lossguard.lint.observing import describe, with_values
from lossguard.lint.values import Const, Data, Instance, Seq, Symbol, Unknown, Value
from lossguard.lint.worlds import World, worlds
from lossguard.records import dataclass, replace

Kwargs = dict[str, Value]
#: How many worlds are looked at, and how many if all so far have the same fault.
_MOST_WORLDS: Final = 240
_MOST_ALIKE: Final = 3000
#: What is said of sizes that simply differ, the least telling last.
_LEFT_OVER: Final = ("LG304", "LG305", "LG104", "LG403", "LG405")
#: What a loss is given second, and its class never.
_TARGETS: Final = frozenset(
    {"target", "targets", "label", "labels", "y", "y_true", "yb", "y_batch", "batch_y", "gt", "truth", "ground_truth"}
)
#: What a setting that is not known may well be.
_GUESSES: Final = {"reduction": ("mean", "none"), "ignore_index": (-100, -1, 0, 255), "label_smoothing": (0.0, 0.1)}


@dataclass(frozen=True, slots=True)
class Found:
    """A finding in the source, with what a fix must know of the call."""

    finding: Finding
    source: Any
    node: ast.Call
    #: The expressions of the arguments, by parameter.
    expressions: Mapping[str, ast.expr]
    values: Mapping[str, Value]


@cache
def find_loss(name: str, *, is_class: bool, home: str = "") -> Loss | None:
    """The loss or index operation of this name, if there is a contract for it."""
    losses = known_losses()
    if is_class:
        return next((loss for loss in losses.values() if loss.module == name), None)
    found = losses.get(name)
    if found is None or found.home not in {"torch.nn.functional", "torch"} or (home and found.home != home):
        return None
    return found


def looks_called_as_function(loss: Loss, args: tuple[Value, ...], kwargs: Kwargs, node: ast.Call) -> bool:
    """Whether the class was called with what its object takes: none of these classes takes a tensor second."""
    if len(args) < 2 or loss.name in {"embedding", "embedding_bag", "AdaptiveLogSoftmaxWithLoss"}:
        return bool({"input", "target"} <= kwargs.keys())
    second = node.args[1] if len(node.args) > 1 else None
    named = isinstance(second, ast.Name) and second.id.lower() in _TARGETS
    return named or (isinstance(args[1], Data) and args[1].kind == "tensor")


def judge_function(
    interpreter: Interpreter, loss: Loss, args: tuple[Value, ...], kwargs: Kwargs, node: ast.Call
) -> Value:
    """A call of `F.cross_entropy`, `torch.gather`, ...: judged, and what it gives."""
    return _judged(interpreter, loss, loss.shown, loss.parameters, args, kwargs, node)


def judge_method(
    interpreter: Interpreter, data: Data, name: str, args: tuple[Value, ...], kwargs: Kwargs, node: ast.Call
) -> Value | None:
    """A call of `x.gather(...)` or `x.scatter_(...)`; None if it is no such method."""
    loss = find_loss(name.rstrip("_"), is_class=False, home="torch")
    if loss is None:
        return None
    nodes = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    return _judged(interpreter, loss, loss.shown, loss.parameters, (data, *args), kwargs, node, first=nodes)


def judge_module(
    interpreter: Interpreter,
    instance: Instance,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    node: ast.Call,
    *,
    as_function: bool = False,
) -> Value:
    """A call of an object such as `nn.CrossEntropyLoss()`, or of its class in its place."""
    loss = find_loss(str(instance.cls).rpartition(".")[2], is_class=True)
    if loss is None:
        return Unknown()
    shown = f"nn.{loss.module}"
    if as_function:
        contract = _contract(loss, shown, dict(loss.defaults), frozenset())
        observation = Observation({}, class_as_function=True)
        named = dict(zip(loss.required(), node.args, strict=False))
        _record(interpreter, diagnose(contract, observation), node, named, {})
        return Unknown()
    preset = _preset(loss, instance)
    if preset is None:
        return Unknown()
    return _judged(interpreter, loss, shown, loss.forward_parameters, args, kwargs, node, preset=preset)


def _preset(loss: Loss, instance: Instance) -> Kwargs | None:
    """The arguments that a module was made with, under the names of the function's parameters."""
    if loss.name in {"embedding", "embedding_bag"}:
        rows, width = instance.argument(0, "num_embeddings"), instance.argument(1, "embedding_dim")
        sizes = Arguments((Seq("tuple", (rows or Unknown(), width or Unknown())),), {}).sizes(0)
        return {"weight": Data(shape=sizes, dtype=None)}
    own = [name for name in loss.parameters if name not in loss.forward_parameters]
    if len(instance.args) > len(own) or not instance.kwargs.keys() <= set(own) | {"device", "dtype"}:
        return None
    given = {**dict(zip(own, instance.args, strict=False)), **{k: v for k, v in instance.kwargs.items() if k in own}}
    # A module is moved with its weights, by itself or inside of another.
    return {name: replace(value, device=None) if isinstance(value, Data) else value for name, value in given.items()}


def _judged(
    interpreter: Interpreter,
    loss: Loss,
    shown: str,
    parameters: tuple[str, ...],
    args: tuple[Value, ...],
    kwargs: Kwargs,
    node: ast.Call,
    *,
    preset: Kwargs | None = None,
    first: list[ast.expr] | None = None,
) -> Value:
    values = {**(preset or {}), **dict(zip(parameters, args, strict=False)), **kwargs}
    result = _result(interpreter, loss, args, kwargs, node)
    if len(args) > len(parameters) or not kwargs.keys() <= set(parameters):
        return result
    if any(name not in values for name in loss.required()) or loss.name == "AdaptiveLogSoftmaxWithLoss":
        return result
    if not any(_tells(value) for value in values.values()):
        return result
    frame = interpreter.frame
    inlined = (
        any(each.undecided for each in interpreter.frames[-len(interpreter.calls) :]) if interpreter.calls else False
    )
    if frame.expects_failure or inlined:
        return result
    expressions = dict(zip(parameters, [*(first or []), *node.args], strict=False))
    expressions |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
    found = _faults(interpreter, loss, shown, values)
    _record(interpreter, found, node, expressions, values)
    return result


def _tells(value: Value) -> bool:
    """Whether anything is known of an argument that could matter."""
    if isinstance(value, Data):
        return value.kind not in {None, "tensor"} or bool(value.dtype or value.maker or value.shape or value.holds)
    return isinstance(value, Const | Seq)


def _result(interpreter: Interpreter, loss: Loss, args: tuple[Value, ...], kwargs: Kwargs, node: ast.Call) -> Value:
    if loss.home == "torch" or loss.name in {"one_hot", "embedding", "embedding_bag"}:
        spot = interpreter.frame.spot(node)
        return interpreter.effects.call(loss.name, "torch", Arguments(args, kwargs), spot)
    return Data()


def _faults(interpreter: Interpreter, loss: Loss, shown: str, values: Mapping[str, Value]) -> list[Finding]:
    """The faults that the call has in every world: whatever the unknown sizes and settings are."""
    first: list[Finding] = []
    others: list[Finding] = []
    everywhere: set[tuple[str, str]] = set()
    for number, found in enumerate(_each_world(interpreter, loss, shown, values)):
        if not found or number > (_MOST_ALIKE if everywhere else _MOST_WORLDS):
            return []
        codes = {(finding.code, finding.argument) for finding in found}
        everywhere = everywhere & codes if first else codes
        first = first or found
        others.append(found[0])
    common = [finding for finding in first if (finding.code, finding.argument) in everywhere]
    # Something is wrong in each world, but not the same: where sizes agree best, it is what is left over.
    return (
        common
        or sorted(others, key=lambda finding: _LEFT_OVER.index(finding.code) if finding.code in _LEFT_OVER else -1)[:1]
    )


def _each_world(
    interpreter: Interpreter, loss: Loss, shown: str, values: Mapping[str, Value]
) -> Iterator[list[Finding]]:
    shapes = [value.shape for value in values.values() if isinstance(value, Data) and value.shape is not None]
    for settings in _settings(loss, values):
        contract = _contract(loss, shown, settings, _given(loss, values))
        if contract is None:
            return
        tensors = {
            name: value for name, value in values.items() if name in loss.tensors and not _is_absent(loss, name, value)
        }
        for world in _some_worlds(shapes):
            for one in _readings(contract, tensors, world):
                yield _look(interpreter, one, tensors, world)


def _some_worlds(shapes: list[tuple[int | Symbol, ...]]) -> Iterator[World]:
    """All worlds; if there are too many, one in which no shape is known, which proves what needs none."""
    empty = True
    for world in worlds(shapes):
        empty = False
        yield world
    if empty:
        yield {}


def _is_absent(loss: Loss, name: str, value: Value) -> bool:
    return value == Const(None) and name in loss.defaults


def _given(loss: Loss, values: Mapping[str, Value]) -> frozenset[str]:
    return frozenset(name for name in loss.tensors if name in values and values[name] != Const(None))


def _settings(loss: Loss, values: Mapping[str, Value]) -> Iterator[dict[str, Any]]:
    """The settings of a call; for one that is not known, what it may be."""
    settled: dict[str, Any] = {}
    open_names: list[str] = []
    for name in loss.parameters:
        if name in loss.tensors:
            continue
        value = values.get(name)
        if value is None:
            settled[name] = loss.defaults.get(name)
        elif isinstance(value, Const):
            settled[name] = value.value
        else:
            settled[name] = loss.defaults.get(name)
            open_names.append(name)
    yield settled
    for name in open_names:
        for guess in _GUESSES.get(name, ()):
            yield {**settled, name: guess}


@cache
def _built(loss_name: str, shown: str, settings: tuple[tuple[str, Any], ...], given: frozenset[str]) -> Contract | None:
    loss = known_losses()[loss_name]
    try:
        return replace(loss.build(Settings(dict(settings), given)), shown=shown)
    except (TypeError, ValueError, KeyError, AttributeError):
        return None


def _contract(loss: Loss, shown: str, settings: dict[str, Any], given: frozenset[str]) -> Any:
    plain = {name: value for name, value in settings.items() if isinstance(value, bool | int | float | str | None)}
    if len(plain) < len(settings):
        return None
    # The types go in, because True equals 1 and 1 equals 1.0.
    built = _built(loss.name, shown, tuple(plain.items()), given) if _is_stable(plain) else None
    if built is None:
        try:
            return replace(loss.build(Settings(plain, given)), shown=shown)
        except (TypeError, ValueError, KeyError, AttributeError):
            return None
    return built


def _is_stable(plain: Mapping[str, Any]) -> bool:
    return all(isinstance(value, str | None) for value in plain.values())


def _readings(contract: Contract, tensors: Mapping[str, Value], world: World) -> list[Contract]:
    """The contract, or one of each reading where the shapes do not choose between them."""
    facts = {name: _described(value, world) for name, value in tensors.items()}
    if len(contract.readings_for(shapes_of(facts))) == 1:
        return [contract]
    return [replace(contract, readings=(reading,)) for reading in contract.readings]


def _described(value: Value, world: World) -> Facts:
    if isinstance(value, Data) and any(isinstance(size, Symbol) and size not in world for size in value.shape or ()):
        value = replace(value, shape=None)
    return describe(value, world)


def _look(interpreter: Interpreter, contract: Contract, tensors: Mapping[str, Value], world: World) -> list[Finding]:
    facts = {name: _described(value, world) for name, value in tensors.items()}
    shapes = shapes_of(facts)
    meant = interpret(contract, shapes)
    for argument in meant.reading.arguments if meant.reading else ():
        if argument.name in facts:
            bounds = argument.bounds.resolve(meant.sizes, shapes) if argument.bounds else None
            facts[argument.name] = with_values(facts[argument.name], tensors[argument.name], bounds)
    frame = interpreter.frame
    observation = Observation(facts, autocast=frame.source.autocasts, forward_only=frame.forward_only)
    return diagnose(contract, observation)


def _record(
    interpreter: Interpreter,
    findings: list[Finding],
    node: ast.Call,
    expressions: Mapping[str, ast.expr],
    values: Mapping[str, Value],
) -> None:
    source = interpreter.frame.source
    interpreter.found.extend(Found(finding, source, node, expressions, values) for finding in findings)
