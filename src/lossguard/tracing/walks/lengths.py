"""What is too long or too short: lengths that a model did not hand on, and what was cut off before it was masked."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.reaching import bindings
from lossguard.tracing.symptoms.symptom import Answer, Judgement, Symptom, shape_of
from lossguard.tracing.walks.steps import Chain
from lossguard.tracing.walks.walk import Walk


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
        return Judgement.NEITHER if not shape else Judgement.BAD if shape[0] == many[0] else Judgement.GOOD

    chain = walk.back_for(Symptom("short", "shape", test, witnessed=True), ast.Name(name, ast.Load()), at)
    return chain if chain and chain[0].before else None


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
