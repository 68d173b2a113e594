"""Calls that only arrange what they are given, or do something to each of it: where a part of the result comes from."""

from __future__ import annotations

import ast
from typing import Any

from lossguard.tracing.links.recognising import is_data
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, KEYS, Path


def chosen_columns(names: list[str], path: Path) -> tuple[list[str], Path]:
    """Which of the columns a path into an array of them leads to, and the path within each."""
    if path and isinstance(path[0], tuple) and len(path[0]) == 2:
        path = (EACH, path[0][1], *path[1:])
    if len(path) > 1 and isinstance(path[1], int) and path[1] < len(names):
        return [names[path[1]]], (path[0], *path[2:])
    if len(path) > 1 and isinstance(path[1], slice):
        return names[path[1]], (path[0], *path[2:])
    return names, path


def fields_of(kind: Any) -> list[str]:
    """The fields of a named tuple's or a dataclass's class, if it does nothing with what it is given."""
    if not isinstance(kind, type) or hasattr(kind, "__post_init__"):
        return []
    return list(getattr(kind, "_fields", getattr(kind, "__dataclass_fields__", ())))


def field_in(node: ast.Call, kind: Any, path: Path) -> tuple[ast.expr, Path] | None:
    """The argument that a call of such a class keeps in the field that a path leads to."""
    names = fields_of(kind) if path else []
    name = names[path[0]] if names and isinstance(path[0], int) and path[0] < len(names) else path[0] if path else None
    if name not in names or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    given = dict(zip(names, node.args, strict=False))
    given.update({word.arg: word.value for word in node.keywords if word.arg is not None})
    return (given[name], path[1:]) if name in given else None


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


def arranged(node: ast.Call, name: str, path: Path) -> tuple[ast.expr, Path] | None:
    """Calls that only arrange what they are given: which of it is at `path`, and where in that."""
    first, rest = path[0], path[1:]
    if name == "zip" and len(node.args) == 1 and isinstance(node.args[0], ast.Starred):
        return node.args[0].value, (rest[0] if rest else EACH, first, *rest[1:])
    if name == "dict":
        if len(node.args) == 1 and first is KEYS:
            return node.args[0], (EACH, 0, *rest)
        if len(node.args) == 1 and not node.keywords and first is EACH and _is_pairs(node.args[0]):
            return node.args[0], (EACH, 1, *rest)
        return next(((word.value, rest) for word in node.keywords if word.arg == first), None)
    if first is not EACH and not isinstance(first, int):
        return None
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


def argument_at(arguments: list[ast.expr], place: int) -> tuple[ast.expr, Path] | None:
    """The expression that is the argument at a place, or holds it: then with where it holds it."""
    for number, argument in enumerate(arguments[: place + 1]):
        if isinstance(argument, ast.Starred):
            return argument.value, (place - number,)
    return (arguments[place], ()) if place < len(arguments) else None
