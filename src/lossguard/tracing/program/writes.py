"""Which names and attributes the lines of a function write, or may change in place."""

from __future__ import annotations

import ast
import dis
import functools
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import CO_OPTIMIZED
from typing import Final

from lossguard.tracing.program.sources import head_end, own_nodes, source_of

#: What gives a function its variables as a dictionary: as names, so that `model.eval()` is none of them.
_ASKS: Final = frozenset({"locals", "vars", "eval", "exec", "f_locals"})
_BY_NAME: Final = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})


@dataclass(frozen=True, slots=True)
class Writes:
    """What a line writes: names, names of objects that it may change in place, and attributes of objects."""

    names: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: Writes) -> Writes:
        return Writes(
            tuple(dict.fromkeys((*self.names, *other.names))),
            tuple(dict.fromkeys((*self.touched, *other.touched))),
            tuple(dict.fromkeys((*self.attributes, *other.attributes))),
        )


def writes_of(code: types.CodeType) -> Mapping[int, Writes] | None:
    """For each line of a function or a module what it writes; None where its source is not known."""
    source = source_of(code.co_filename)
    node = source.function_of(code) if source is not None else None
    return None if node is None else _writes_in(node)


@functools.cache
def _writes_in(scope: ast.AST) -> Mapping[int, Writes]:
    found: dict[int, Writes] = {}
    if isinstance(scope, ast.Lambda):
        return found
    for statement in own_nodes(scope):
        if isinstance(statement, ast.stmt):
            own = _writes(statement)
            if own != Writes():
                for line in range(statement.lineno, head_end(statement) + 1):
                    found[line] = found.get(line, Writes()) + own
    return found


def _writes(statement: ast.stmt) -> Writes:
    """What one statement writes by itself, without the statements inside it."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return Writes((statement.name,))
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return Writes(tuple(alias.asname or alias.name.partition(".")[0] for alias in statement.names))
    names: list[str] = []
    touched: list[str] = []
    attributes: list[tuple[str, str]] = []
    for node in _head(statement):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                names.append(name)
            case ast.Attribute(value=ast.Name(id=root), attr=attribute, ctx=ast.Store()):
                attributes.append((root, attribute))
            case ast.Subscript(ctx=ast.Store()):
                _touch(node, touched, attributes)
            case ast.Call(func=func, args=arguments, keywords=words):
                owner = [func.value] if isinstance(func, ast.Attribute) else []
                for given in [*owner, *arguments, *(word.value for word in words)]:
                    _touch(given, touched, attributes)
    # What is done to an element in the body of a loop changes what it runs over.
    over = ast.walk(statement.iter) if isinstance(statement, ast.For) else ()
    touched.extend(inner.id for inner in over if isinstance(inner, ast.Name))
    return Writes(tuple(names), tuple(name for name in touched if name not in names), tuple(attributes))


def _touch(node: ast.expr, touched: list[str], attributes: list[tuple[str, str]]) -> None:
    """Note the object at the root of an expression, as `x` is in `x.loc[0]` and `self.x` in `self.x[0]`."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            attributes.append((node.value.id, node.attr))
        node = node.value
    if isinstance(node, ast.Name):
        touched.append(node.id)


def _head(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, without the statements and the functions inside it."""
    waiting = [
        child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt | ast.excepthandler)
    ]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def asks_for_names(code: types.CodeType) -> bool:
    """Whether a function may have its variables as a dictionary, which must not change under it."""
    if not code.co_flags & CO_OPTIMIZED or _ASKS.isdisjoint(code.co_names):
        return False
    return "f_locals" in code.co_names or any(
        step.argval in _ASKS and step.opname in _BY_NAME for step in dis.get_instructions(code)
    )
