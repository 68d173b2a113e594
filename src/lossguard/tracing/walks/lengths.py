"""Lengths that went through the function that made the scores: there they should have become those of the scores."""

from __future__ import annotations

import ast

from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import bindings
from lossguard.tracing.walks.steps import Chain


def kept_too_long(chain: Chain, scores: ast.expr | None, lengths: ast.expr | None, at: Statement) -> Chain:
    """`chain`, from the first line inside the call that gave both; as it is, where no call did.

    The line that measured what went into the model is no fault if the model hands the lengths on itself.
    """
    if not chain or len(chain) == 1 or scores is None or lengths is None:
        return chain
    last = chain[-1].moment
    if last is None or last.scope.node is not at.scope.node or last.statement is at.statement:
        return chain
    if not all(any(bindings(last.statement, name) for name in _names(node)) for node in (scores, lengths)):
        return chain
    function = chain[-2].moment.scope.node if chain[-2].moment is not None else last.scope.node
    called = {called_name(node) for node in ast.walk(function) if isinstance(node, ast.Call)}
    inside = [step.moment is not None and _is_in(step.moment.scope.node, function, called) for step in chain]
    return chain if function is last.scope.node else chain[inside.index(True) :]


def _is_in(scope: ast.AST, function: ast.AST, called: set[str]) -> bool:
    """Whether a scope is that function or one that it calls."""
    return scope is function or getattr(scope, "name", None) in called


def _names(node: ast.expr) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
