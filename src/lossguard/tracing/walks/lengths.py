"""What is too long or too short: lengths that a model did not hand on, and what was cut off before it was masked."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import Any, Final

from lossguard.tracing.links.statements import Defined, Statement
from lossguard.tracing.program.reaching import bindings
from lossguard.tracing.symptoms.symptom import Answer, Judgement, Symptom, shape_of
from lossguard.tracing.walks.judging import judged_whole
from lossguard.tracing.walks.steps import Chain, handed_on
from lossguard.tracing.walks.walk import Walk

#: So many names one after the other are looked through.
_NAMES: Final = 6


def kept_too_long(chain: Chain, scores: ast.expr | None, lengths: ast.expr | None, at: Statement) -> Chain:
    """`chain`, from the first line inside the call that gave both; as it is, where no call did.

    The line that measured what went into the model is no fault if the model hands the lengths on itself.
    """
    chain = _from_lengths(chain)
    if not chain or len(chain) == 1 or scores is None or lengths is None:
        return chain
    last = chain[-1].moment
    if last is None or last.scope.node is not at.scope.node or last.statement is at.statement:
        return chain
    if not all(any(bindings(last.statement, name) for name in _names(node)) for node in (scores, lengths)):
        return chain
    # Into the functions that were called for it, and no further back than to where the lengths were given to one.
    around = [step.moment.scope.node if step.moment is not None else None for step in chain]
    start, entered = len(chain) - 1, around[-1:]
    while start and around[start - 1] not in entered[:-1]:
        start -= 1
        entered += [around[start]] if around[start] is not entered[-1] else []
    return chain if len(entered) == 1 else chain[start:]


def cut_short(walk: Walk, name: str, key: ast.expr | None, at: Statement) -> Chain:
    """Where all of something is written over, up to a place beyond its end: the line that had cut off its end."""
    many, end = shape_of(at.evaluate(ast.Name(name, ast.Load())))[:1], None
    if isinstance(key, ast.Slice) and key.lower is None and key.upper is not None:
        end = at.evaluate(key.upper)
    if not many or not isinstance(end, int) or end < many[0]:
        return None

    def test(value: Any) -> Answer:
        shape = shape_of(value)
        longer = bool(shape) and shape[0] > many[0]
        return Judgement.GOOD if longer else Judgement.BAD if shape[:1] == many else Judgement.NEITHER

    chain = walk.back_for(Symptom("short", "shape", test, witnessed=True), ast.Name(name, ast.Load()), at)
    return chain if chain and chain[0].before else None


def nothing_chosen(walk: Walk, found: list[Defined]) -> Chain:
    """Where a filler stayed all that there is, since no place was written over: the line that chose none."""
    written = [(definition.key, moment) for definition, moment in found if definition.partial]
    for key, moment in written:
        if key is None or not _is_empty(moment.evaluate(key)):
            return None
    return _chosen_by(walk, *written[-1], _NAMES) if written and written[-1][0] is not None else None


def as_many_as(walk: Walk, found: list[Defined]) -> tuple[Chain, Statement] | None:
    """For a list that gets an element in each turn of a loop: what the loop runs over. None if it is no such list.

    No element makes a number of rows; one that has them already is followed by itself.
    """
    added = [(one.value, at) for one, at in found if one.grows and not one.path and one.value is not None]
    if not added or any(judged_whole(walk.symptom, *each, ()) is Judgement.BAD for each in added):
        return None
    loop, at = added[0][1].scope.source.parents.get(added[0][1].statement), added[0][1]
    if not isinstance(loop, ast.For) or len({value for value, _ in added}) > 1:
        return None, at
    apart = judged_whole(walk.symptom, loop.iter, at, ()) in {Judgement.GOOD, Judgement.NEITHER}
    return None if apart else walk.back(loop.iter, at), at


def _is_empty(value: Any) -> bool:
    """Whether an index or a mask chooses nothing."""
    if isinstance(value, tuple):
        return any(map(_is_empty, value))
    if not hasattr(value, "dtype") or not (shape := shape_of(value)):
        return False
    return not math.prod(shape) or (str(value.dtype).endswith("bool") and not bool(value.any()))


def _chosen_by(walk: Walk, node: ast.expr | None, at: Statement, left: int) -> Chain:
    """The line by which a choice came out empty: that of the number if the first few of something are taken."""
    if isinstance(node, ast.Tuple):
        node = next((part for part in node.elts if _is_empty(at.evaluate(part))), None)
    if isinstance(node, ast.Name) and left:
        found = at.definitions(node.id)
        definition, moment = found[0] if len(found) == 1 else (None, at)
        given = moment.argument(node.id) if definition is not None and definition.parameter else None
        if definition is not None and definition.value is not None and not definition.partial and not definition.path:
            given = definition.value, moment
        return None if given is None else handed_on(node.id, _chosen_by(walk, *given, left - 1), given[1])
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and node.slice.upper is not None:
        few = at.evaluate(node.slice.upper) == 0
        return _chosen_by(walk, node.slice.upper if few else node.value, at, left)
    # What it gave is no label, and so no good one either.
    return None if node is None else [replace(walk.culprit(node, at), is_good=False)]


def _from_lengths(chain: Chain) -> Chain:
    """`chain`, from the line that took one number for lengths, if other lines use that number too."""
    if not chain or len(chain) == 1 or chain[0].moment is None or chain[1].moment is None:
        return chain
    first, second = chain[0].moment, chain[1].moment
    culprit, statement = chain[0].culprit, first.statement
    given = isinstance(statement, ast.AugAssign) or getattr(statement, "value", None) is culprit
    value = first.evaluate(culprit) if culprit is not None and given else None
    if not isinstance(value, int) or first.scope.node is not second.scope.node:
        return chain
    aside = [first.statement, second.statement]
    others = [node for node in ast.walk(first.scope.node) if isinstance(node, ast.stmt) and node not in aside]
    used = any(chain[0].variable in _names(node) for node in others if not bindings(node, chain[0].variable))
    assigned = second.statement.value if isinstance(second.statement, ast.Assign) else None
    return [replace(chain[1], culprit=assigned), *chain[2:]] if used and assigned is not None else chain


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
