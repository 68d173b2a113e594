"""Where it was said what an operation does, if that is another line: where its object was made, or its settings."""

from __future__ import annotations

import ast
import functools
from dataclasses import replace
from typing import Any

from lossguard.operations.roles import CONSTRUCTING
from lossguard.tracing.links.classes import code_of, is_opaque, is_users_object
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.reaching import Path, dotted
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.layers import is_pure_layer
from lossguard.tracing.walks.sequences import chosen_at, left_out
from lossguard.tracing.walks.steps import Chain, Step, makes_tensor
from lossguard.tracing.walks.walk import Walk


def told_elsewhere(
    walk: Walk, node: ast.expr, callee: Any, operands: list[ast.expr], at: Statement, path: Path, own: Step
) -> Chain:
    """Where it was said what is done here, if that is another line."""
    site = _told_at(walk, node, callee, operands, at) or _told_of_column(walk, node, at, path)
    if site is not None:
        return _chosen_there(walk, *site, before=own.before, is_good=own.is_good)
    site = left_out(walk, node, at)
    return None if site is None else [replace(walk.culprit(*site), after="", is_good=own.is_good)]


def _told_at(
    walk: Walk, node: ast.expr, callee: Any, operands: list[ast.expr], at: Statement
) -> tuple[ast.expr, Statement] | None:
    """Where something was made that does what it was told there: `Linear(8, 3)`, `Normalize(0.5, 0.5)`, a `partial`."""
    if walk.symptom.name == "shape" and not walk.symptom.unfinished and is_pure_layer(callee):
        return walk.construction.made(node, callee, at)
    if isinstance(callee, functools.partial):
        # A function of the user's that nothing else calls may be wrong itself.
        alone = len([call for call in at.calls if call.code is code_of(callee.func)]) == 1
        site = None if alone else walk.construction.made(node, callee, at)
        return None if site is None or _is_used_again(*site) else site
    # Numbers of another range are sound by themselves, and so is the class; labels that are too large are not.
    own = [part for part in operands if isinstance(part, ast.Attribute) and dotted(part).startswith("self.")]
    for part in own if walk.symptom.name == "outside 0 to 1" and len(own) < len(operands) else ():
        thing = at.evaluate(part.value)
        for definition, moment in walk.construction.assignments(thing, part.attr) if is_users_object(thing) else ():
            kept = isinstance(definition.value, ast.Name | ast.Tuple) or makes_tensor(definition.value)
            names = [name.id for name in ast.walk(definition.value or ast.Pass()) if isinstance(name, ast.Name)]
            constructed = getattr(moment.scope.node, "name", "") in CONSTRUCTING
            if kept and constructed and any(map(moment.argument, names)):
                return walk.construction.site(thing)
    return None


def _chosen_there(walk: Walk, node: ast.expr, at: Statement, *, before: str, is_good: bool) -> list[Step]:
    """Where an object was made that was told what to do there; or where it was said by a name what is made."""
    chosen = chosen_at(walk, node, at) if isinstance(node, ast.Call) else None
    return chosen or [replace(walk.culprit(node, at, before=before), is_good=is_good)]


def _is_used_again(call: ast.expr, at: Statement) -> bool:
    """Whether what a line makes is used in several places: it is right for the others."""
    written = at.statement
    name = dotted(written.targets[0]) if isinstance(written, ast.Assign) and written.value is call else ""
    used = [part for part in ast.walk(at.scope.source.tree) if isinstance(part, ast.Attribute) and dotted(part) == name]
    return len([part for part in used if isinstance(part.ctx, ast.Load)]) > 1


def _told_of_column(walk: Walk, node: ast.expr, at: Statement, path: Path) -> tuple[ast.expr, Statement] | None:
    """Where an object of a library was made whose method gave a table, if it was told of the bad column there."""
    owner = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    thing = at.evaluate(owner) if owner is not None and path and isinstance(path[0], str) else UNKNOWN
    site = walk.construction.born(thing) if thing is not UNKNOWN and is_opaque(type(thing)) else None
    words = [part.value for part in ast.walk(site[0]) if isinstance(part, ast.Constant)] if site is not None else []
    return site if path and path[0] in words else None
