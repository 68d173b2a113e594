"""Back through names and attributes: to the statements that gave them their values."""

from __future__ import annotations

import ast
import inspect
import itertools
import math
import sys
import types
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lossguard.operations.table import named
from lossguard.paths import is_users
from lossguard.tracing.evidence.replay import Activation
from lossguard.tracing.links.classes import is_users_object
from lossguard.tracing.links.comprehensions import BoundStatement, innermost, turn_around
from lossguard.tracing.links.items_written import (
    entry_path,
    in_their_turn,
    is_empty,
    is_part,
    loop_around,
    path_within,
    wrote,
)
from lossguard.tracing.links.recognising import in_all_turns, is_mark, recorded_calls
from lossguard.tracing.links.statements import Defined, ReadStatement, Statement, is_filled
from lossguard.tracing.links.views import results
from lossguard.tracing.program.reaching import EACH, KEYS, Definition, Path, default_of, dotted
from lossguard.tracing.symptoms.symptom import MISSING, Judgement
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.projecting import project
from lossguard.tracing.values.records import fields_of
from lossguard.tracing.walks.entering import changed, changed_attribute, given_for, into, made_again, one_of
from lossguard.tracing.walks.judging import is_aligned, judged_whole, path_into, rules_out
from lossguard.tracing.walks.lengths import as_many_as, cut_short, nothing_chosen
from lossguard.tracing.walks.loading import entered_by_loader
from lossguard.tracing.walks.steps import Chain, Step, agreed, handed_on, is_constant
from lossguard.tracing.walks.walk import Walk

#: Attributes that are the same numbers in another dress.
_DRESSES = named("values", "same", home="attribute")
_TURNED = named("axes", "turned", home="attribute")
#: Attributes that are numbers of what is none; and such of dates, which columns may be called as well.
_CODES = named("values", "codes", home="attribute")
_OF_DATES = named("values", "numbered", home="attribute")
#: Of the first, those that only tables have: the labels of their rows, which are no places.
_OF_ROWS = _CODES & named("values", "codes", home="pandas")
_ACCESSORS = named("values", "text", home="attribute")


def of_name(walk: Walk, node: ast.Name, at: Statement, path: Path) -> Chain:
    """A variable: to the statements that gave it its value, or changed it in place."""
    if (chain := changed(walk, node.id, at, path)) is not None:
        return chain
    found = at.definitions(node.id)
    activation = getattr(innermost(at), "activation", None)
    if activation is not None and (not found or activation.code.co_name == "<module>"):
        found = found or _in_modules(walk, node.id, activation.globals)
        inside = walk.world.written_by_functions(activation.globals, node.id, getattr(innermost(at), "clock", math.inf))
        found = [*inside, *found] if all(definition.partial for definition, _ in inside) else inside
    return _defined(walk, node.id, found, path)


def _in_modules(walk: Walk, name: str, names: Mapping[str, Any]) -> list[Defined]:
    """Where a module, or the function around, gives a name its value."""
    return [pair for moment in walk.world.around(names, name) for pair in moment.definitions(name)]


def _defined(walk: Walk, name: str, found: list[Defined], path: Path) -> Chain:
    """Of the definitions that may hold, those that gave something bad; they must agree on one line."""
    if walk.symptom.about == "kind" and not path:
        # What a container is does not change by what is put into it.
        found = [pair for pair in found if not pair[0].partial]
    if walk.symptom.name == "ignored" and (choice := nothing_chosen(walk, found)):
        return handed_on(name, choice, found[-1][1])
    if walk.symptom.by_length and not path and (turns := as_many_as(walk, found)) is not None:
        return handed_on(name, *turns)
    found = in_their_turn(found, path)
    filled = any(definition.partial for definition, _ in found)
    chains: list[list[Step]] = []
    circular = False
    for definition, moment in [_when(walk, *pair) for pair in found]:
        if (filled and is_empty(definition.value)) or rules_out(walk.symptom, definition, moment, path):
            continue
        if definition.parameter and len(found) > 1 and _is_given_good(walk, name, moment, path):
            continue
        when = getattr(moment, "number", 0), id(getattr(moment, "activation", None))
        key = (id(definition.statement), id(moment.scope.node), *when, name)
        if key in walk.seen:
            circular = True
            continue
        walk.seen.add(key)
        chain = _from(walk, name, definition, moment, path)
        if chain is None:
            return None
        if chain and definition.partial:
            return chain
        chains.append(chain)
    return agreed(chains) if chains or not circular else []


def _when(walk: Walk, definition: Definition, moment: Statement) -> Defined:
    """A definition that adds to something, in an earlier turn if what it adds in this one is not bad."""
    if not definition.grows or definition.value is None or not isinstance(moment, ReadStatement):
        return definition, moment
    judged = judged_whole(walk.symptom, definition.value, moment, definition.path)
    return definition, moment if judged is Judgement.BAD else moment.in_an_earlier_turn()


def _from(walk: Walk, name: str, definition: Definition, moment: Statement, path: Path) -> Chain:
    if definition.parameter:
        return _given(walk, name, moment, path)
    if isinstance(definition.statement, ast.ImportFrom):
        return _imported(walk, name, definition.statement, path)
    if definition.value is None:
        return None
    if not definition.partial:
        chain = walk.back(definition.value, moment, (*definition.path, *path))
        # A table that is made in one go has one kind of thing in it, under whatever names.
        table = isinstance(definition.value, ast.DictComp) and not definition.path
        alone = table or not any(isinstance(part, str) for part in (*definition.path, *path))
        return handed_on(name, chain, moment, definition.value if alone else None)
    return None if path[:1] == (KEYS,) else _put_in(walk, name, definition, moment, path)


def _imported(walk: Walk, name: str, statement: ast.ImportFrom, path: Path) -> Chain:
    """A name that another file of the user's gives: on to where it is defined there."""
    own = next(alias.name for alias in statement.names if name in {alias.asname, alias.name})
    home = f".{statement.module or ''}"
    for module in list(sys.modules.values()):
        known = f".{getattr(module, '__name__', '')}".endswith(home) and hasattr(module, own)
        if known and is_users(getattr(module, "__file__", None) or ""):
            return _in_module(walk, own, module, path)
    return None


def _put_in(walk: Walk, name: str, definition: Definition, moment: Statement, path: Path) -> Chain:
    """What was added to something, or written over a part of it."""
    if definition.value is None:
        return None
    if is_part(definition, moment, path) or definition.grows:
        within = path_within(definition, moment, path)
        loop = None if wrote(definition, moment, path) else loop_around(definition, moment)
        if loop is not None:
            first = (entry_path(definition, moment, path) or path)[0]
            moment = BoundStatement(moment, [(loop.target, loop.iter)], EACH, first)
        within = (*definition.path, *within)
        if is_aligned(walk.symptom, definition.value, moment, within):
            step = walk.culprit(definition.value, moment, variable=name)
            return [replace(step, before=step.after, after="", is_good=False)]
        taken = None if any(isinstance(part, str) for part in within) else definition.value
        return handed_on(name, walk.back(definition.value, moment, within), moment, taken)
    if walk.symptom.name == "ignored" and (shortened := cut_short(walk, name, definition.key, moment)):
        return shortened
    if walk.symptom.about == "values" and not is_mark(definition.value, moment):
        chain = handed_on(name, walk.back(definition.value, moment, definition.path), moment)
        if chain is None and _adds_up(walk, name, definition.statement, moment, path):
            return [walk.culprit(definition.value, moment, variable=name)]
        if not is_constant(chain, walk.symptom) or _is_of_turn(definition.value, moment):
            return chain
    return [walk.culprit(definition.value, moment, variable=name)]


def _adds_up(walk: Walk, name: str, statement: ast.stmt | None, moment: Statement, path: Path) -> bool:
    """Whether good numbers are added again and again to entries of what was good at first, and nothing else is."""
    if not isinstance(statement, ast.AugAssign):
        return False
    added = statement.value.value if isinstance(statement.value, ast.Constant) else UNKNOWN
    added = in_all_turns(statement.value, moment) if added is UNKNOWN else added
    others = [pair for pair in moment.definitions(name) if pair[0].statement is not statement]
    sound = added is not UNKNOWN and walk.symptom.judge(added) is Judgement.GOOD
    return sound and bool(others) and all(rules_out(walk.symptom, *pair, path) for pair in others)


def _is_of_turn(node: ast.expr, at: Statement) -> bool:
    """Whether each turn of a loop puts in an entry of its own: then the entry counts, and not the line."""
    names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
    return any(pair[0].path[:1] == (EACH,) for name in names for pair in at.definitions(name))


def _given(walk: Walk, name: str, moment: Statement, path: Path) -> Chain:
    """A parameter: on to what the caller gave for it."""
    given = given_for(walk, name, moment)
    if given is not None:
        return handed_on("", walk.back(given[0], turn_around(*given, walk.is_bad), path), given[1])
    earlier = _returned_before(name, moment)
    if earlier is not None:
        return handed_on("", into(walk, earlier, path), moment)
    code = getattr(getattr(moment, "activation", None), "code", None)
    # What a loader gives to `*args` is the first of them.
    spread = code is not None and name not in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if chain := entered_by_loader(walk, moment, path[1:] if spread else path):
        return chain
    default = default_of(moment.scope.node, name)  # which holds where no caller is known to give anything
    if default is None or walk.symptom.about != "values" or walk.symptom.whole:
        return None
    return walk.back(default, moment) if walk.is_bad(moment.evaluate(default)) else None


def _returned_before(name: str, moment: Statement) -> Activation | None:
    """The call beside a callback that returned what the callback was given just after, as in a reduction."""
    activation = getattr(moment, "activation", None)
    parent = getattr(activation, "parent", None)
    if activation is None or parent is None or (value := activation.arguments.get(name)) is None:
        return None
    beside = parent.visits[activation.parent_visit].calls
    before = itertools.takewhile(lambda call: call is not activation, beside)
    return next((call for call in reversed([*before]) if call.ended and call.returned is value), None)


def _is_given_good(walk: Walk, name: str, moment: Statement, path: Path) -> bool:
    """Whether what the caller gave for a parameter is known to be good."""
    given = moment.argument(name)
    return given is not None and judged_whole(walk.symptom, *given, path) is Judgement.GOOD


def of_attribute(walk: Walk, node: ast.Attribute, at: Statement, path: Path) -> Chain:
    """An attribute: of a module, of a record, of an object of the user's, of data."""
    base = at.evaluate(node.value)
    for call in recorded_calls(at, node.attr):
        return into(walk, call, path)
    name = dotted(node)
    if name and at.scope.assigns(name) and (found := at.definitions(name)):
        chain = _defined(walk, name, found, path)
        if chain or not all(definition.partial for definition, _ in found):
            return chain
    if node.attr in fields_of(type(base)) and (chain := walk.back(node.value, at, (node.attr, *path))) is not None:
        return chain
    if isinstance(base, types.ModuleType):
        return _of_module(walk, node, base, at, path)
    if base is not UNKNOWN and is_users_object(base):
        return _stored(walk, base, node.attr, path, at)
    gone = at.handle(node.value.id) if base is UNKNOWN and isinstance(node.value, ast.Name) else None
    if gone is not None and (chain := _stored(walk, gone, node.attr, path, at)) is not None:
        return chain
    if node.attr in _DRESSES:
        turned = node.attr in _TURNED and walk.symptom.about == "values"
        return walk.back(node.value, at, path_into(walk.symptom, node, node.value, at, path) if turned else path)
    dated = node.attr in _OF_DATES and walk.symptom.about == "values" and walk.symptom.name not in MISSING
    numbered = node.attr in _CODES and (node.attr not in _OF_ROWS or hasattr(base, "iloc"))
    if numbered or (dated and _is_of_date(node.value, base)):
        # The numbers of categories or dates, whatever these are.
        return [walk.culprit(node, at)]
    return walk.back(node.value, at, (node.attr, *path))


def _is_of_date(node: ast.expr, value: Any) -> bool:
    """Whether it is dates of which a part is taken, and no table with a column of that name."""
    by_word = isinstance(node, ast.Attribute) and node.attr in _ACCESSORS
    return by_word or (value is not UNKNOWN and not hasattr(value, "columns"))


def _of_module(walk: Walk, node: ast.Attribute, module: types.ModuleType, at: Statement, path: Path) -> Chain:
    """A name of a module: of the user's, on to where it is defined; a constant of a library, as `math.inf` is."""
    if not is_users(getattr(module, "__file__", None) or ""):
        return [walk.culprit(node, at)] if walk.is_bad(at.evaluate(node)) else None
    return _in_module(walk, node.attr, module, path)


def _in_module(walk: Walk, name: str, module: types.ModuleType, path: Path) -> Chain:
    """Back from a name of another module of the user's."""
    return _defined(walk, name, _in_modules(walk, name, vars(module)), path)


def _stored(walk: Walk, owner: Any, name: str, path: Path, at: Statement) -> Chain:
    """An attribute: back from the line of its class that set it, or from what the class was given."""
    key = (id(owner), 0, name)
    if key in walk.seen:
        return []
    walk.seen.add(key)
    if (chain := changed_attribute(walk, owner, name, at, path)) is not None:
        return handed_on("", chain, at)
    found = walk.world.setters(owner, name, at)
    contents = walk.symptom.about != "kind" or path
    if contents and all(
        _gave_nothing(*pair) or (pair[0].partial and rules_out(walk.symptom, *pair, path)) for pair in found
    ):
        # What is bad in it was added when nothing was recorded any more.
        found = walk.construction.written_assignments(owner, name)
    if found:
        chain = _defined(walk, f"self.{name}", found, path)
        return handed_on("", made_again(walk, owner, name, path) if chain is None else chain, at)
    if (computed := _computed(walk, owner, name, path)) is not None:
        return handed_on("", computed, at)
    given = walk.construction.field_given(owner, name)
    return handed_on("", walk.back(given[0], given[1], path), at) if given is not None else None


def _gave_nothing(definition: Definition, moment: Statement) -> bool:
    """Whether a definition gave an empty container, which something was put into later."""
    value = project(moment.evaluate(definition.value), definition.path) if definition.value is not None else UNKNOWN
    empty = is_filled(value) and not hasattr(value, "shape") and not value
    return empty or (not definition.path and is_empty(definition.value))


def _computed(walk: Walk, owner: Any, name: str, path: Path) -> Chain:
    """A property, cached or not: back from what it returns."""
    found = inspect.getattr_static(type(owner), name, None)
    function = getattr(found, "func", getattr(found, "fget", None))
    scene = walk.world.function(function, {}, {"self": owner}) if function is not None else None
    return one_of(walk, results(scene, each=False), path) if scene is not None else None
