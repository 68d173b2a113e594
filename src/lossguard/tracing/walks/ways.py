"""Where to go on from an expression: a way for each kind."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from lossguard.operations.roles import PAIRING
from lossguard.tracing.links.classes import is_loader
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.links.views import ProgramView
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, Path
from lossguard.tracing.symptoms.symptom import Symptom
from lossguard.tracing.walks.calls import of_call
from lossguard.tracing.walks.entering import iterated
from lossguard.tracing.walks.items import of_subscript
from lossguard.tracing.walks.literals import (
    of_binop,
    of_compare,
    of_constant,
    of_dict,
    of_dictcomp,
    of_ifexp,
    of_listcomp,
    of_starred,
    of_tuple,
    of_unaryop,
)
from lossguard.tracing.walks.loading import loaded
from lossguard.tracing.walks.names import of_attribute, of_name
from lossguard.tracing.walks.steps import Chain
from lossguard.tracing.walks.walk import Walk

#: A kind of expression that is not here is not followed: where its value came from is unknown.
_WAYS: Final[dict[type[ast.expr], Callable[[Walk, Any, Statement, Path], Chain]]] = {
    ast.Attribute: of_attribute,
    ast.Await: of_starred,
    ast.BinOp: of_binop,
    ast.Call: of_call,
    ast.Compare: of_compare,
    ast.Constant: of_constant,
    ast.Dict: of_dict,
    ast.DictComp: of_dictcomp,
    ast.GeneratorExp: of_listcomp,
    ast.IfExp: of_ifexp,
    ast.List: of_tuple,
    ast.ListComp: of_listcomp,
    ast.Name: of_name,
    ast.NamedExpr: of_starred,
    ast.SetComp: of_listcomp,
    ast.Starred: of_starred,
    ast.Subscript: of_subscript,
    ast.Tuple: of_tuple,
    ast.UnaryOp: of_unaryop,
}
#: What puts things together, and is no tensor itself.
_BUILDING: Final = ast.List | ast.Tuple | ast.Dict | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def walk_for(symptom: Symptom, world: ProgramView, deadline: float, *, may_replay: bool) -> Walk:
    """A walk back for a symptom, through a program."""
    return Walk(symptom, world, deadline, _way, may_replay=may_replay)


def _way(walk: Walk, node: ast.expr, at: Statement, path: Path) -> Chain:
    if path and path[0] is EACH:
        value = at.evaluate(node)
        if is_loader(value):
            return loaded(walk, value, path[1:])
        own = iterated(walk, value, path[1:])
        if own is not None:
            return own
    if walk.symptom.about == "kind" and len(path) == _depth_built(node):
        return [walk.culprit(node, at)]
    way = _WAYS.get(type(node))
    return None if way is None else way(walk, node, at, path)


def _depth_built(node: ast.expr) -> int | None:
    """How deep in what an expression gives the containers lie that it makes itself: `zip` gives tuples of its own."""
    if isinstance(node, ast.Call) and called_name(node) in PAIRING:
        return 1
    return 0 if isinstance(node, _BUILDING) else None
