"""Back through a sequence of layers: to the one that made it so, where it is constructed."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from lossguard.operations.roles import CONSTRUCTING
from lossguard.operations.table import named
from lossguard.tracing.links.classes import is_users_object
from lossguard.tracing.links.comprehensions import BoundStatement
from lossguard.tracing.links.datasets import argument_of_many
from lossguard.tracing.links.recognising import is_choice
from lossguard.tracing.links.recorded import RecordedStatement, recorded
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import dotted
from lossguard.tracing.program.sources import own_nodes
from lossguard.tracing.symptoms import effects
from lossguard.tracing.symptoms.symptom import Judgement, Symptom, described
from lossguard.tracing.values.evaluating import UNKNOWN, Comprehension
from lossguard.tracing.values.layers import is_pure_layer, run_layer
from lossguard.tracing.walks.steps import Chain
from lossguard.tracing.walks.walk import Walk

#: Layers that give scores, which something else may have to follow; and what that is.
_SCORES: Final = named("meaning", "scores", home="layer")
_FOLLOWING: Final = {
    "scores": named("meaning", "log-probabilities", home="layer") | named("meaning", "log-probabilities"),
    "unsquashed": named("meaning", "probabilities", home="layer") | named("meaning", "probabilities"),
    "probabilities": named("meaning", "log-probabilities", home="layer") | named("meaning", "log-probabilities"),
}


def sequence(walk: Walk, node: ast.expr, layers: Any, given: Any, at: Statement) -> Chain:
    """The layer of a sequence that made it so, named where it is constructed."""
    layer, before = _first_bad(walk, layers, given)
    layer = _last_making(walk, node, layers) if layer is None else layer
    if layer is None:
        return None
    site = walk.construction.born(layer) or _written(walk, node, layers, layer, at) or walk.construction.site(layer)
    if site is not None and _is_given(site[0].func, site[1]):
        site = None
    outputs = walk.symptom.name in effects.OF_OUTPUTS
    plain = (outputs or walk.symptom.unfinished) and type(layer).__name__ in _SCORES
    if plain and site is not None and (skipped := _skipped(site[1], _FOLLOWING.get(walk.symptom.name, frozenset()))):
        return [walk.culprit(*skipped)]
    if (site is None or plain) and getattr(at.scope.node, "name", "") == "forward":
        # Nothing is wrong with the layer: what should follow it does not.
        return [walk.culprit(node, at, before=before)]
    if site is not None and (chosen := chosen_at(walk, *_turn_of(layer, *site))):
        return chosen
    if site is not None and (is_choice(*site) or _is_shared(walk, *site) or (plain and _is_for_several(walk, site[1]))):
        # An entry of a table is sound by itself, and so is what makes several models: the call that chose it is not.
        site = site[1].called_by if isinstance(site[1], RecordedStatement) else None
        if site is not None and (chosen := chosen_at(walk, *site)):
            return chosen
    return None if site is None else [walk.culprit(*site, before=before)]


def chosen_at(walk: Walk, call: ast.Call, at: Statement) -> Chain:
    """Where it was said what is made: the class that an object was given, or the name by which it is looked up."""
    match call.func:
        case ast.Attribute(value=owner, attr=name) if is_users_object(thing := at.evaluate(owner)):
            given = walk.construction.field_given(thing, name)
            return None if given is None else [walk.culprit(*given)]
        case ast.Subscript(slice=key) | ast.Call(func=ast.Name(id="getattr"), args=[_, key]) if isinstance(
            word := at.evaluate(key), str
        ):
            chain = walk.back_for(Symptom("word", "word", lambda value: bool(value == word)), key, at)
            return [replace(chain[0], after=""), *chain[1:]] if chain else None
    return None


def _turn_of(layer: Any, call: ast.Call, at: Statement) -> tuple[ast.Call, Statement]:
    """A call that takes the class of a layer out of a table, in the turn of a comprehension in which it gave that."""
    table = at.evaluate(call.func.value) if isinstance(call.func, ast.Subscript) else None
    words = [word for word, kind in table.items() if kind is type(layer)] if isinstance(table, Mapping) else []
    around = at.scope.source.parents.get(call)
    while isinstance(around, ast.expr) and not isinstance(around, Comprehension):
        around = at.scope.source.parents.get(around)
    if not isinstance(call.func, ast.Subscript) or not words or not isinstance(around, Comprehension):
        return call, at
    loop = around.generators[0]
    return call, BoundStatement.of_each(loop.target, loop.iter, at, (), call.func.slice, lambda word: word in words)


def is_following(symptom: str, node: ast.expr) -> bool:
    """Whether an expression makes of scores what is missing by a symptom."""
    return isinstance(node, ast.Call) and called_name(node) in _FOLLOWING.get(symptom, ())


def chosen_maker(walk: Walk, layer: Any) -> Chain:
    """Where the function was chosen by its name in a table that made a layer, which is sound by itself."""
    site = walk.construction.born(layer)
    function = getattr(site[1].scope.node, "name", "") if site is not None else ""
    if site is None or not isinstance(site[1], RecordedStatement) or function in CONSTRUCTING:
        return None  # what a model makes for itself is used by its own `forward`, which may leave a step out
    return chosen_at(walk, *caller) if (caller := site[1].called_by) is not None else None


def left_out(walk: Walk, node: ast.expr, at: Statement) -> tuple[ast.expr, Statement] | None:
    """Where something was told to leave out what is missing after a step, by an attribute or an argument that it asks.

    That is where the object was made, or where the function was called.
    """
    wanted = _FOLLOWING.get(walk.symptom.name, frozenset())
    test, moment = _not_chosen(node, at, wanted) or _skipped(at, wanted) or (None, at)
    test = test.operand if isinstance(test, ast.UnaryOp) else test
    if isinstance(test, ast.Name) and any(definition.parameter for definition, _ in moment.definitions(test.id)):
        return moment.argument(test.id) or (moment.called_by if isinstance(moment, RecordedStatement) else None)
    model = moment.evaluate(test.value) if isinstance(test, ast.Attribute) else UNKNOWN
    if not isinstance(test, ast.Attribute) or not is_users_object(model):
        return None
    told = [definition.value for definition, _ in walk.construction.assignments(model, test.attr)]
    return walk.construction.site(model) if told and all(isinstance(value, ast.Name) for value in told) else None


def _not_chosen(node: ast.expr, at: Statement, wanted: frozenset[str]) -> tuple[ast.expr, Statement] | None:
    """The condition by which one of two functions was taken and called, and not the other, which is one of `wanted`."""
    name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    found = at.definitions(name) if name else []
    chosen, moment = (found[0][0].value, found[0][1]) if len(found) == 1 else (None, at)
    if not isinstance(chosen, ast.IfExp):
        return None
    other = chosen.orelse if moment.evaluate(chosen.test) else chosen.body
    return (chosen.test, moment) if dotted(other).rpartition(".")[2] in wanted else None


def _is_for_several(walk: Walk, at: Statement) -> bool:
    """Whether a layer is made in a function that was called more than once, and that is no method of a model."""
    own, recorder = getattr(at, "activation", None), walk.world.recorder
    if own is None or recorder is None or own.code.co_name in CONSTRUCTING | {"<module>"}:
        return False
    return len([each for each in recorder.calls() if each.code is own.code]) > 1


def _is_shared(walk: Walk, call: ast.Call, at: Statement) -> bool:
    """Whether a function takes layers out of a table for more than one caller: each of them says which."""
    recorder, own = walk.world.recorder, getattr(at, "activation", None)
    if not isinstance(call.func, ast.Subscript) or recorder is None or own is None:
        return False
    return len([each for each in recorder.calls() if each.code is own.code and each.parent is not None]) > 1


def _skipped(at: Statement, wanted: frozenset[str]) -> tuple[ast.expr, Statement] | None:
    """The only condition of the function that made a layer which kept one of the `wanted` from being made there."""
    if not isinstance(at, RecordedStatement):
        return None
    lines = {visit.line: number for number, visit in enumerate(at.activation.visits)}
    conditions = [node for node in own_nodes(at.scope.node) if isinstance(node, ast.If) and node.lineno in lines]
    found = [
        (node.test, moment)
        for node in conditions
        if node.body[0].lineno not in lines and wanted & {*map(called_name, _calls(node))}
        if (moment := recorded(at.activation, lines[node.lineno])) is not None
    ]
    return found[0] if len(found) == 1 else None


def _calls(condition: ast.If) -> list[ast.Call]:
    """The calls of what is done if a condition holds."""
    return [node for part in condition.body for node in ast.walk(part) if isinstance(node, ast.Call)]


def _first_bad(walk: Walk, layers: Any, given: Any) -> tuple[Any, str]:
    """Layer by layer, where that has no side effects: the last that turned good into bad, and what it was given."""
    if given is UNKNOWN or not is_pure_layer(layers) or walk.symptom.name in effects.OF_OUTPUTS:
        return None, ""
    found, before, was = None, "", walk.symptom.judge(given)
    for layer in _flat(layers):
        shown = described(given) if was is Judgement.GOOD else ""
        given = run_layer(layer, given)
        now = walk.symptom.judge(given)
        if now is Judgement.BAD and was is not Judgement.BAD:
            found, before = layer, shown
        was = now
    return (found, before) if was is Judgement.BAD else (None, "")


def _flat(layers: Any) -> list[Any]:
    """The layers of a sequence, and of those inside it."""
    nested = type(layers).__name__ == "Sequential"
    return [layer for part in layers for layer in _flat(part)] if nested else [layers]


def _last_making(walk: Walk, node: ast.expr, layers: Any) -> Any:
    """By the names of the layers alone: the last that makes it so, or that spoils what a layer before it had made."""
    spoiling = None
    for layer in reversed(_flat(layers)):
        name = type(layer).__name__
        effect = effects.effect_of(node, walk.symptom.name, name)
        if name in _FOLLOWING.get(walk.symptom.name, ()):
            return spoiling or (layer if effect is effects.MAKES else None)
        spoiling = layer if name in effects.LINEAR else spoiling
        if effect is not effects.KEEPS:
            return layer if effect is effects.MAKES else None
    return None


def _written(walk: Walk, node: ast.expr, layers: Any, layer: Any, at: Statement) -> tuple[ast.Call, Statement] | None:
    """The call of a layer's class among the arguments of the sequence's own call."""
    site = walk.construction.made(node, layers, at)
    if site is None:
        return None
    place = next(number for number, part in enumerate(layers) if layer in part.modules())
    written = site[0].args
    call = argument_of_many(written, place, len(layers))
    return (call, site[1]) if isinstance(call, ast.Call) else None


def _is_given(node: ast.expr, at: Statement) -> bool:
    """Whether a name is one that the caller chose."""
    return isinstance(node, ast.Name) and any(
        definition.parameter and moment.argument(node.id) is not None for definition, moment in at.definitions(node.id)
    )
