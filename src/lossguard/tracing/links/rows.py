"""Datasets that are built by a chain of calls, as those of Hugging Face and WebDataset are: how rows go through it.

Nothing of those libraries is imported. A call is known by its name, and only where one of its rows is looked for.
"""

from __future__ import annotations

import ast
import types
from typing import Any, Final

from lossguard.operations.table import named
from lossguard.tracing.links.recognising import is_data
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, Path

#: Rows come out as they went in, all or some, in any order.
_PASSING: Final = named("rows", "passed")
#: A table made of columns, or of rows.
_OF_COLUMNS: Final = named("rows", "of-columns")
_APPLYING: Final = named("rows", "mapped")


def handed_through(node: ast.Call, path: Path, at: Statement) -> tuple[ast.expr, Path] | None:
    """What a row, and what is at `path` in it, was before the call; None for a call that is not known."""
    base = node.func.value if isinstance(node.func, ast.Attribute) else None
    name, first, rest = called_name(node), path[0], path[1:]
    if base is None or isinstance(owner := at.evaluate(base), types.ModuleType) or is_data(owner):
        return None
    if name == "train_test_split" and isinstance(first, str):
        return base, (EACH, *rest[1:])
    if first is not EACH and not isinstance(first, int):
        return None
    if name in _PASSING:
        return base, (EACH, *rest)
    if name == "rename_column" and len(node.args) == 2:
        old, new = (getattr(argument, "value", None) for argument in node.args)
        return base, (EACH, old if rest[:1] == (new,) else (rest or (EACH,))[0], *rest[1:])
    if name == "cast_column" and node.args and rest:
        return None if getattr(node.args[0], "value", rest[0]) == rest[0] else (base, (EACH, *rest))
    if name == "compose" and len(node.args) == 1:
        return ast.copy_location(ast.Call(node.args[0], [base], []), node), path
    if name == "to_tuple" and rest and isinstance(rest[0], int) and rest[0] < len(node.args):
        return base, (EACH, getattr(node.args[rest[0]], "value", EACH), *rest[1:])
    return _made(node, name, path)


def _made(node: ast.Call, name: str, path: Path) -> tuple[ast.expr, Path] | None:
    """Into what a table was made of."""
    given = node.args[0] if node.args else None
    first, rest = path[0], path[1:]
    if given is None:
        return None
    if name in _OF_COLUMNS and rest:
        return given, (rest[0], first, *rest[1:])
    if name == "from_list":
        return given, path
    if name == "from_generator":
        return ast.copy_location(ast.Call(given, [], []), given), (EACH, *rest)
    return None


def applied_to_rows(node: ast.Call, path: Path, at: Statement) -> tuple[ast.expr, ast.expr, Path] | None:
    """A function that a call applies to each row or a part of it: the function, its items, the path in its result."""
    name, rest = called_name(node), path[1:]
    if name not in _APPLYING or not isinstance(node.func, ast.Attribute) or not rest:
        return None
    base, key = node.func.value, rest[0]
    if name == "map_dict":
        function = next((word.value for word in node.keywords if word.arg == key), None)
        return None if function is None else (function, _part_of_each(base, key, node), (EACH, *rest[1:]))
    if name == "map_tuple":
        known = isinstance(key, int) and key < len(node.args)
        return (node.args[key], _part_of_each(base, key, node), (EACH, *rest[1:])) if known else None
    if not node.args or is_data(at.evaluate(node.args[0])):
        return None
    batched = any(word.arg == "batched" and getattr(word.value, "value", False) for word in node.keywords)
    return node.args[0], base, (EACH, *rest, *((EACH,) if batched else ()))


def _part_of_each(base: ast.expr, key: Any, node: ast.Call) -> ast.expr:
    """`[row[key] for row in base]`."""
    row = ast.Name(id="<row>", ctx=ast.Load())
    elements = ast.comprehension(ast.Name(id="<row>", ctx=ast.Store()), base, [], 0)
    made = ast.ListComp(ast.Subscript(row, ast.Constant(key), ast.Load()), [elements])
    return ast.fix_missing_locations(ast.copy_location(made, node))


def leaves_out(found: list[tuple[ast.expr, Any]], key: Any) -> bool:
    """Whether the results of a mapped function are all dicts without this key: then it is that of the row."""
    return bool(found) and all(
        isinstance(result, ast.Dict)
        and all(isinstance(word, ast.Constant) and word.value != key for word in result.keys)
        for result, _ in found
    )
