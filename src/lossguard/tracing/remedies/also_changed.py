"""Whether a change of the culprit expression would change more than the labels: features go the same way.

Read in the source, with the values at hand: no line that serves several purposes is offered as a fix for one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.sources import Source

#: Functions that take another one and call it for each of several things.
_FOR_EACH = frozenset({"map", "tree_map", "apply", "default_convert"})


def changes_more(node: ast.expr, source: Source, at: Statement | None) -> bool:
    """Whether features lie beside the labels in the value, or go through the same line before or after them."""
    return _is_taken_apart(node, source) or _is_for_each_field(node, source, at) or _serves_several_calls(node, source)


def is_read_for(column: str, node: ast.expr, source: Source) -> bool:
    """Whether nothing but this column is read of the table: the features are elsewhere, and would keep their rows."""
    statement = source.statement_of(node)
    target = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is node else None
    if target is None:
        return False
    uses = [
        source.parents[name]
        for name in ast.walk(source.tree)
        if isinstance(name, ast.Name | ast.Attribute)
        and isinstance(name.ctx, ast.Load)
        and ast.unparse(name) == ast.unparse(target)
    ]
    return all(
        (isinstance(use, ast.Subscript) and isinstance(use.slice, ast.Constant) and use.slice.value == column)
        or (isinstance(use, ast.Attribute) and use.attr == column)
        for use in uses
    )


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
    for around in _around(node, source):
        if isinstance(around, ast.DictComp):
            return True
        if isinstance(around, ast.ListComp | ast.GeneratorExp):
            statement = source.statement_of(around)
            unpacked = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple | ast.List)
            if unpacked or _are_of_several_shapes(around.generators[0].iter, at):
                return True
        if isinstance(around, ast.Assign) and isinstance(around.targets[0], ast.Subscript):
            key = around.targets[0].slice
            named = at.evaluate(key) if at is not None and isinstance(key, ast.Name) else None
            if isinstance(named, str):
                return True
        if isinstance(around, ast.stmt):
            return False
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
    if isinstance(scope, ast.Module) or not _changed_names(node) & {argument.arg for argument in scope.args.args}:
        return False
    name = scope.name if not isinstance(scope, ast.Lambda) else _name_of(scope, source)
    calls = [call for call in ast.walk(source.tree) if isinstance(call, ast.Call)]
    if any(call for call in calls if called_name(call) in _FOR_EACH and _hands(call, scope, name)):
        return True
    direct = [call for call in calls if called_name(call) == name]
    needed = [argument.arg for argument in scope.args.args if argument.arg not in {"self", "cls"}]
    statements = [source.statement_of(call) for call in direct]
    alone = len(needed) - len(scope.args.defaults) <= 1
    return len(direct) > 1 and (alone or len(set(statements)) < len(statements))


def _changed_names(node: ast.expr) -> set[str]:
    """The variable that a call changes: `x` in `x.float()` and in `torch.tensor(x)`."""
    if not isinstance(node, ast.Call):
        return set()
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    return {item.id for item in (*node.args[:1], owner) if isinstance(item, ast.Name)}


def _hands(call: ast.Call, function: ast.AST, name: str) -> bool:
    """Whether a call is given the function, to call it."""
    return any(item is function or (isinstance(item, ast.Name) and item.id == name) for item in call.args)


def _name_of(function: ast.Lambda, source: Source) -> str:
    """The name that a lambda is given; empty if it has none."""
    statement = source.parents.get(function)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    return target.id if isinstance(target, ast.Name) else ""


def _around(node: ast.AST, source: Source) -> Iterator[ast.AST]:
    """What stands around a node, from the inside out."""
    current = source.parents.get(node)
    while current is not None:
        yield current
        current = source.parents.get(current)
