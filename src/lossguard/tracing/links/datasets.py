"""Calls that arrange what they are given: containers, loaders, and datasets that are built by a chain of calls.

The one file in which calls are known by their names outside of the table of operations: each has a way of its own from
a part of its result to where that comes from. Nothing of Hugging Face or WebDataset is imported, and a call of theirs
is known only where one of its rows is looked for.
"""

from __future__ import annotations

import ast
import types
from typing import Any, Final

from lossguard.operations.table import named
from lossguard.tracing.links.classes import code_of, is_data
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, KEYS, Path
from lossguard.tracing.program.sources import own_nodes, source_of
from lossguard.tracing.values.records import fields_of

#: Rows come out as they went in, all or some, in any order.
_PASSING: Final = named("rows", "passed")
#: A table made of columns, or of rows.
_OF_COLUMNS: Final = named("rows", "of-columns")
_APPLYING: Final = named("rows", "mapped")
#: Arrays that are put beside each other; or one after the other, along an axis that is told.
_BESIDE: Final = named("axes", "columns")
_JOINING: Final = named("axes", "joined")


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


def chosen_columns(names: list[str], path: Path) -> tuple[list[str], Path]:
    """Which of the columns a path into an array of them leads to, and the path within each."""
    if path and isinstance(path[0], tuple) and len(path[0]) == 2:
        path = (EACH, path[0][1], *path[1:])
    if len(path) > 1 and isinstance(path[1], int) and path[1] < len(names):
        return [names[path[1]]], (path[0], *path[2:])
    if len(path) > 1 and isinstance(path[1], slice):
        return names[path[1]], (path[0], *path[2:])
    return names, path


def field_in(node: ast.Call, kind: Any, path: Path) -> tuple[ast.expr, Path] | None:
    """The argument that a call of such a class keeps in the field that a path leads to."""
    names = fields_of(kind) if path else []
    name = names[path[0]] if names and isinstance(path[0], int) and path[0] < len(names) else path[0] if path else None
    if name not in names:
        return None
    by_word = next(((word.value, ()) for word in node.keywords if word.arg == name), None)
    given = by_word or argument_at(node.args, names.index(name))
    return (given[0], (*given[1], *path[1:])) if given is not None else None


def applied(node: ast.Call, at: Statement) -> tuple[ast.expr, ast.expr] | None:
    """A function that a call applies to each element of something, and that something."""
    name, given = called_name(node), node.args
    if isinstance(node.func, ast.Call):
        made = called_name(node.func) in {"vectorize", "frompyfunc"} and bool(node.func.args and given)
        return (node.func.args[0], given[0]) if made else None
    if name in {"map", "imap", "imap_unordered"} and len(given) == 2:
        return given[0], given[1]
    of_series = name in {"map", "apply", "transform", "applymap"} and len(given) == 1
    if not of_series or not isinstance(node.func, ast.Attribute) or is_data(at.evaluate(given[0])):
        return None
    return given[0], node.func.value


def through_call(node: ast.Call, name: str, path: Path, at: Statement) -> tuple[ast.expr, Path] | None:
    """What a call only hands on: which of its arguments is at `path`, and where in that."""
    if name == "items" and isinstance(node.func, ast.Attribute) and isinstance(path[0], int) and path[1:2] == (1,):
        table = at.evaluate(node.func.value)
        keys = list(table) if isinstance(table, dict) else []
        if path[0] < len(keys):
            return node.func.value, (keys[path[0]], *path[2:])
    if name == "dict" and len(node.args) == 1 and _is_of_generator(node.args[0], at):
        return node.args[0], (EACH, 1, *path[1:])
    return arranged(node, name, path) or handed_through(node, path, at)


def arranged(node: ast.Call, name: str, path: Path) -> tuple[ast.expr, Path] | None:
    """Calls that only arrange what they are given: which of it is at `path`, and where in that."""
    first, rest = path[0], path[1:]
    if name == "zip" and len(node.args) == 1 and isinstance(node.args[0], ast.Starred):
        return node.args[0].value, (rest[0] if rest else EACH, first, *rest[1:])
    if name == "dict":
        return _in_dict(node, first, rest)
    if name in {"replace", "_replace", "evolve"} and (told := [w for w in node.keywords if w.arg == first]):
        return told[0].value, rest  # a record made of another one, with other entries
    if first is not EACH and not isinstance(first, int):
        return None
    if name == "train_test_split" and isinstance(first, int):
        given = argument_at(node.args, first // 2)
        return given and (given[0], (*given[1], *(EACH if isinstance(part, int) else part for part in rest)))
    if name == "enumerate" and node.args and rest[:1] == (1,):
        return node.args[0], (first, *rest[1:])
    if name in {"zip", "TensorDataset"} and rest and isinstance(rest[0], int):
        given = argument_at(node.args, rest[0])
        return None if given is None else (given[0], (*given[1], first, *rest[1:]))
    if name in {"DataLoader", "Subset", "random_split", "islice", "cycle"} and node.args:
        return node.args[0], (EACH, *rest)
    if name in {"chain", "from_iterable"} and len(node.args) == 1:
        # One thing after the other, given by itself or within something.
        inner = node.args[0].value if isinstance(node.args[0], ast.Starred) else node.args[0]
        return inner, (EACH, *rest) if name == "chain" and inner is node.args[0] else (EACH, EACH, *rest)
    return _arranged_by_method(node.func.value, name, rest) if isinstance(node.func, ast.Attribute) else None


def _in_dict(node: ast.Call, first: Any, rest: Path) -> tuple[ast.expr, Path] | None:
    """What `dict(...)` is given: pairs, or entries by their names."""
    if len(node.args) == 1 and first is KEYS:
        return node.args[0], (EACH, 0, *rest)
    if len(node.args) == 1 and not node.keywords and first is EACH and _is_pairs(node.args[0]):
        return node.args[0], (EACH, 1, *rest)
    return next(((word.value, rest) for word in node.keywords if word.arg == first), None)


def _is_of_generator(node: ast.expr, at: Statement) -> bool:
    """Whether a function of the user's is called that yields in one place: in a dict, pairs that are made alike."""
    code = code_of(at.evaluate(node.func)) if isinstance(node, ast.Call) else None
    source = source_of(code.co_filename) if code is not None else None
    function = source.function_of(code) if source is not None and code is not None else None
    return function is not None and len([each for each in own_nodes(function) if isinstance(each, ast.Yield)]) == 1


def _is_pairs(node: ast.expr) -> bool:
    """Whether an expression gives pairs of keys and values, and is no dict."""
    if isinstance(node, ast.GeneratorExp | ast.ListComp):
        return isinstance(node.elt, ast.Tuple)
    return isinstance(node, ast.Call) and called_name(node) in {"zip", "enumerate", "items"}


def _arranged_by_method(base: ast.expr, name: str, rest: Path) -> tuple[ast.expr, Path] | None:
    if name == "items" and rest[:1] == (1,):
        return base, (EACH, *rest[1:])
    if name == "keys" or (name == "items" and rest[:1] == (0,)):
        return base, (KEYS, *rest[1:])
    if name == "iterrows":
        return base, rest[1:]
    if name == "to_dict" and rest and isinstance(rest[0], str):
        return base, (rest[0], EACH, *rest[1:])
    return (base, rest) if name == "itertuples" else None


def column_in_joined(node: ast.Call, path: Path, at: Statement) -> tuple[ast.expr, Path] | None:
    """Of several that a call puts beside each other, the one that has the column at `path`, and where in that."""
    parts = node.args[0].elts if node.args and isinstance(node.args[0], ast.Tuple | ast.List) else []
    place = path[0][1] if path and isinstance(path[0], tuple) and len(path[0]) == 2 else None
    shapes = [tuple(getattr(at.evaluate(part), "shape", ())) for part in parts]
    across = any(word.arg in {"axis", "dim"} and at.evaluate(word.value) in {1, -1} for word in node.keywords)
    beside = called_name(node) in _BESIDE or (called_name(node) in _JOINING and across)
    if not beside or not isinstance(place, int):
        return None
    # Counted from the side that the column is counted from, as far as it is known how wide they are.
    pairs = [*zip(parts, shapes, strict=True)]
    left = place if place >= 0 else -1 - place
    for part, shape in pairs if place >= 0 else reversed(pairs):
        wide = shape[1] if len(shape) == 2 else 1
        if len(shape) not in {1, 2}:
            return None
        if left < wide:
            own = left if place >= 0 else wide - 1 - left
            return part, path[1:] if len(shape) == 1 else ((slice(None), own), *path[1:])
        left -= wide
    return None


def argument_at(arguments: list[ast.expr], place: int) -> tuple[ast.expr, Path] | None:
    """The expression that is the argument at a place, or holds it: then with where it holds it."""
    for number, argument in enumerate(arguments[: place + 1]):
        if isinstance(argument, ast.Starred):
            return argument.value, (place - number,)
    return (arguments[place], ()) if place < len(arguments) else None


def argument_of_many(arguments: list[ast.expr], place: int, many: int) -> ast.expr | None:
    """The argument that is the one at a place of `many`, of which one `*items` may give several."""
    starred = [number for number, argument in enumerate(arguments) if isinstance(argument, ast.Starred)]
    if not starred:
        return arguments[place] if len(arguments) == many else None
    last = len(arguments) - many + place  # counted from the end
    found = place if place < starred[0] else last if last > starred[0] else None
    return arguments[found] if found is not None and len(starred) == 1 else None
