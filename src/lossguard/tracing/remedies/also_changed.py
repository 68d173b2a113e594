"""Whether a change of the culprit expression would change more than the labels: features go the same way.

Read in the source, with the values at hand: no line that serves several purposes is offered as a fix for one.
"""

from __future__ import annotations

import ast

from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.sources import Source

#: Functions that take another one and call it for each of several things.
_FOR_EACH = frozenset({"map", "tree_map", "apply", "default_convert"})


def changes_more(node: ast.expr, source: Source, at: Statement | None) -> bool:
    """Whether features lie beside the labels in the value, or go through the same line before or after them."""
    return _is_taken_apart(node, source) or _is_for_each_field(node, source, at) or _serves_several_calls(node, source)


def _is_taken_apart(node: ast.expr, source: Source) -> bool:
    """Whether one place of the value is read by number, and another part of it as well: `row[3]` and `row[:3]`."""
    statement = source.statement_of(node)
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    names = {ast.unparse(target) for target in targets if isinstance(target, ast.Name | ast.Attribute)}
    parts = [
        inner.slice
        for inner in ast.walk(source.tree)
        if isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Load) and ast.unparse(inner.value) in names
    ]
    return any(map(_has_number, parts)) and len({ast.unparse(part) for part in parts}) > 1


def _has_number(part: ast.expr) -> bool:
    """Whether an index names one place: `3`, `-1`, or one of them beside others, as in `:, 3`."""
    places = part.elts if isinstance(part, ast.Tuple) else [part]
    inner = [place.operand if isinstance(place, ast.UnaryOp) else place for place in places]
    return any(isinstance(place, ast.Constant) and type(place.value) is int for place in inner)


def _is_for_each_field(node: ast.expr, source: Source, at: Statement | None) -> bool:
    """Whether the expression is worked out for each of several fields of a batch, by name or one after the other."""
    around: ast.AST | None = node
    while around is not None and not isinstance(around, ast.stmt):
        around = source.parents.get(around)
        match around:
            case ast.DictComp():
                return True
            case ast.ListComp(generators=[first, *_]) | ast.GeneratorExp(generators=[first, *_]):
                statement = source.statement_of(around)
                unpacked = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple | ast.List)
                if unpacked or _are_of_several_shapes(first.iter, at):
                    return True
            case ast.Assign(targets=[ast.Subscript(slice=ast.Name() as key), *_]):
                return at is not None and isinstance(at.evaluate(key), str)
    return False


def _are_of_several_shapes(node: ast.expr, at: Statement | None) -> bool:
    """Whether a tuple or list holds values of different shapes or dtypes."""
    held = at.evaluate(node) if at is not None else None
    if not isinstance(held, tuple | list) or len(held) > 8:
        return False
    kinds = {(getattr(item, "dtype", None), tuple(getattr(item, "shape", ()))[1:], type(item)) for item in held}
    return len(kinds) > 1


def _serves_several_calls(node: ast.expr, source: Source) -> bool:
    """Whether it changes the one argument of a function that the file calls for other values too."""
    scope = source.scope_of(node)
    if not isinstance(node, ast.Call) or not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    # What a call changes: `x` in `x.float()` and in `torch.tensor(x)`.
    changed = [*node.args[:1], node.func.value if isinstance(node.func, ast.Attribute) else None]
    parameters = [argument.arg for argument in scope.args.args if argument.arg not in {"self", "cls"}]
    if not any(isinstance(item, ast.Name) and item.id in parameters for item in changed):
        return False
    calls = [call for call in ast.walk(source.tree) if isinstance(call, ast.Call)]
    handed = [item for call in calls if called_name(call) in _FOR_EACH for item in call.args]
    if any(isinstance(item, ast.Name) and item.id == scope.name for item in handed):
        return True
    statements = [source.statement_of(call) for call in calls if called_name(call) == scope.name]
    alone = len(parameters) - len(scope.args.defaults) <= 1
    return len(statements) > 1 and (alone or len({*statements}) < len(statements))
