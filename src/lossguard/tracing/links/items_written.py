"""Items that a statement writes into something: which part of it they are."""

from __future__ import annotations

import ast
from typing import Any

from lossguard.operations.roles import CONTAINERS
from lossguard.tracing.links.statements import Defined, Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, Definition, Path, dotted
from lossguard.tracing.values.evaluating import UNKNOWN


def name_of(definition: Definition) -> str:
    """The name whose item a definition overwrites."""
    statement = definition.statement
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    if isinstance(target, ast.Tuple | ast.List) and definition.path:
        target = target.elts[definition.path[0]]
    while isinstance(target, ast.Subscript) or (isinstance(target, ast.Attribute) and not dotted(target)):
        target = target.value
    return dotted(target).partition(".")[0] if isinstance(target, ast.expr) else ""


def columns_in(key: Any) -> list[str]:
    """The names in a key that is a list or an index of names, as of columns; empty for any other key."""
    several = isinstance(key, list) or getattr(key, "ndim", 0) == 1
    named = several and len(key) > 0 and all(isinstance(name, str) for name in key[:1])
    return [name for name in key if isinstance(name, str)] if named else []


def loop_around(definition: Definition, moment: Statement) -> ast.For | None:
    """The loop whose variable is the key of `table[key] = value`."""
    parents, current = moment.scope.source.parents, definition.statement
    while isinstance(current, ast.stmt) and isinstance(definition.key, ast.Name):
        if isinstance(current, ast.For) and dotted(current.target) == definition.key.id:
            return current
        current = parents.get(current)  # type: ignore[assignment] # what is no statement ends the loop
    return None


def keys_in_turn(definition: Definition, moment: Statement) -> Any:
    """What the key of `table[key] = value` is in turn, in a loop over keys; None if it is in no loop."""
    loop = loop_around(definition, moment)
    keys: Any = moment.evaluate(loop.iter) if loop is not None else None
    keys = keys.tolist() if hasattr(keys, "tolist") else keys  # the columns of a table
    return keys if loop is None or isinstance(keys, list | tuple) else UNKNOWN


def wrote(definition: Definition, moment: Statement, path: Path) -> bool:
    """Whether `table["label"] = ...` is seen to have written the part at `path` at this very moment."""
    inner = entry_path(definition, moment, path)
    key = moment.evaluate(definition.key) if inner and definition.key is not None else None
    return isinstance(key, str) and inner is not None and key == inner[0]


def in_their_turn(found: list[Defined], path: Path) -> list[Defined]:
    """The definitions; of a line that ran in several turns, that of the turn that wrote the part, where it was seen."""
    seen = {id(definition.statement) for definition, moment in found if wrote(definition, moment, path)}
    return [pair for pair in found if id(pair[0].statement) not in seen or wrote(*pair, path)]


def is_part(definition: Definition, moment: Statement, path: Path) -> bool | None:
    """For `table["label"] = ...`: whether it is the part that is looked at; None if that cannot be told."""
    inner = entry_path(definition, moment, path)
    if definition.key is None or not path or inner == ():
        return None
    if inner is None:
        return False
    path = inner
    if not isinstance(path[0], str):
        # In a dict, as caches are, an entry of any key is what was put in.
        of_dict = isinstance(path[0], int | tuple) and _is_dict(definition, moment)
        key = moment.evaluate(definition.key) if of_dict else UNKNOWN
        return key == path[0] if isinstance(key, int | tuple) else None
    if (turns := keys_in_turn(definition, moment)) is not None:
        return None if turns is UNKNOWN else path[0] in turns
    key = moment.evaluate(definition.key)
    key = key[1] if isinstance(key, tuple) and len(key) == 2 else key
    if names := columns_in(key):
        return path[0] in names
    return key == path[0] if isinstance(key, str) else None


def _is_dict(definition: Definition, moment: Statement) -> bool:
    """Whether it is a dict in which `name[key] = value` writes."""
    nodes = ast.walk(definition.statement) if definition.statement is not None else ()
    written = [node.value for node in nodes if isinstance(node, ast.Subscript) and node.slice is definition.key]
    return bool(written) and isinstance(moment.evaluate(written[0]), dict)


def entry_path(definition: Definition, moment: Statement, path: Path) -> Path | None:
    """For `name[outer][key] = value`: where in `name[outer]` the part at `path` of `name` is; None if in another."""
    for outer in definition.around if path and isinstance(path[0], str) else ():
        key = moment.evaluate(outer)
        if not path or not isinstance(key, str):
            return path
        if key != path[0]:
            return None
        path = path[1:]
    return path


def path_within(definition: Definition, moment: Statement, path: Path) -> Path:
    """Where in the value of `table[key] = value` the part at `path` of the table is."""
    path = entry_path(definition, moment, path) or path
    names = columns_in(moment.evaluate(definition.key)) if definition.key is not None else []
    if path[:1] == () or path[0] not in names:
        return path[1:]
    value = moment.evaluate(definition.value) if definition.value is not None else UNKNOWN
    is_array = hasattr(value, "shape") and not hasattr(value, "columns")
    return (EACH, names.index(path[0])) if is_array else path


def takes_any_dtype(definition: Definition, moment: Statement) -> bool:
    """Whether it is a data frame, a dict or a list that an item is written into; an array in one of them is none."""
    statement = definition.statement
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    if isinstance(target, ast.Subscript):
        value = moment.evaluate(target.value)
        if value is UNKNOWN and isinstance(target.value, ast.Subscript):
            return False
    else:
        name = name_of(definition)
        value = moment.value(name) if name else UNKNOWN
    return isinstance(value, dict | list) or (hasattr(value, "columns") and hasattr(value, "iloc"))


def is_empty(node: ast.expr | None) -> bool:
    """Whether an expression makes an empty container."""
    if isinstance(node, ast.List | ast.Tuple):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    return isinstance(node, ast.Call) and called_name(node) in CONTAINERS and all(map(is_empty, node.args))
