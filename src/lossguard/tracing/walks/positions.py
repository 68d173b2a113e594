"""Positions that were counted, more of them than a table has: what they count is too long."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from lossguard.operations.roles import LARGEST, LENGTHS, MEASURING, RANGES
from lossguard.tracing.links.recognising import is_made_of_sizes, is_many
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, Path, dotted
from lossguard.tracing.symptoms.symptom import Answer, Judgement, Symptom, numbers_of, shape_of
from lossguard.tracing.walks.sizes import plain_number
from lossguard.tracing.walks.steps import Chain, Step, line_of, step_at, written_out
from lossguard.tracing.walks.walk import Walk

#: What was measured: an expression, where it stands, and which part of it.
Measured = tuple[ast.expr, Statement, Path]
#: So many names one after the other are followed to what was measured.
_NAMES: Final = 6


def too_long(walking: Callable[[Symptom], Walk], step: Step) -> Chain:
    """The line that made something too long whose places a step counts; None if that is not seen."""
    node, at = step.culprit, step.moment
    if not isinstance(node, ast.Call) or at is None or called_name(node) not in RANGES or len(node.args) not in {1, 2}:
        return None
    many = at.evaluate(node.args[-1])
    found = _measured(node.args[-1], at, _NAMES)
    if found is None or not isinstance(many, int):
        return None
    walk = walking(_long(many))
    chain = walk.back(*found)
    if chain and (longest := _filled_from(chain[0], many)) is not None:
        chain = walk.back(*longest)
    if not chain or not chain[0].before:
        return None
    cut, moment = chain[0].culprit, chain[0].moment
    named = ast.walk(cut.slice) if isinstance(cut, ast.Subscript) else ()
    for part in named if moment is not None else ():
        if isinstance(part, ast.Name | ast.Attribute) and moment is not None and moment.evaluate(part) == many:
            # As much was cut out as was asked for: whoever said how much that is made it too long.
            return walk.back_for(plain_number(many), part, moment) or None
    # What a subscript leaves over was longer before.
    return None if isinstance(cut, ast.Subscript) else chain


def _filled_from(step: Step, many: int) -> Measured | None:
    """What was measured for a size of something that was made by its sizes, to be filled afterwards."""
    node, at = step.culprit, step.moment
    if not isinstance(node, ast.Call) or at is None or not is_made_of_sizes(node):
        return None
    sizes = [part for given in node.args for part in (given.elts if isinstance(given, ast.Tuple) else [given])]
    return next((_measured(size, at, _NAMES) for size in sizes if at.integer(size) == many), None)


def of_lengths(computed: Any, labels: Any, node: ast.expr | None, at: Statement) -> Chain:
    """The line that takes lengths, which count from 1, for places in what a model computed; None if they are none."""
    tells = getattr(computed, "grad_fn", None) is not None and labels.min() > 0
    for part, moment in ((node, at), written_out(node, at)) if tells and node is not None else ():
        names = [each for each in ast.walk(part) if isinstance(each, ast.Name | ast.Attribute)]
        held = [moment.evaluate(each) for each in names if "len" in dotted(each).rpartition(".")[2].lower()]
        numbers = [numbers_of(value) for value in held if is_many(value)]
        if any(each is not None and each.size and each.max() == labels.max() for each in numbers):
            return [step_at(line_of(part, moment), moment, culprit=part)]
    return None


def _measured(node: ast.expr, at: Statement, left: int) -> Measured | None:
    """What a number is the length of an axis of; or the largest length of its elements."""
    match node:
        case ast.Name(id=name) if left:
            found = at.definitions(name)
            definition, moment = found[0] if len(found) == 1 else (None, at)
            given = moment.argument(name) if definition and definition.parameter else None
            if given is None and definition is not None and definition.value and not definition.path:
                given = definition.value, moment
            return None if given is None else _measured(*given, left - 1)
        case ast.Subscript(value=ast.Attribute(value=base, attr="shape")):
            return base, at, ()
        case ast.Call(func=ast.Attribute(value=base)) if called_name(node) in MEASURING - LENGTHS:
            return base, at, ()
        case ast.Call(args=[base]) if called_name(node) in LENGTHS:
            return base, at, ()
        case ast.Call(args=[lengths]) if called_name(node) in LARGEST:
            return _of_each(lengths, at)
    return None


def _of_each(lengths: ast.expr, at: Statement) -> Measured | None:
    """The things whose lengths these are: `map(len, things)`, `len(thing) for thing in things`."""
    match lengths:
        case ast.Call(args=[ast.Name(id=function), things]) if function in LENGTHS:
            return things, at, (EACH,)
        case ast.ListComp(elt=ast.Call(args=[ast.Name()]) as measured, generators=[ast.comprehension(iter=things)]) | (
            ast.GeneratorExp(elt=ast.Call(args=[ast.Name()]) as measured, generators=[ast.comprehension(iter=things)])
        ) if called_name(measured) in LENGTHS:
            return things, at, (EACH,)
    return None


def _long(many: int) -> Symptom:
    """For what has an axis of this length, and had none before."""

    def test(value: Any) -> Answer:
        shape = shape_of(value)
        return Judgement.NEITHER if not shape else Judgement.BAD if many in shape else Judgement.GOOD

    return Symptom("long", "shape", test, witnessed=True, by_length=True)
