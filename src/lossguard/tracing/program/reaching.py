"""Which assignments a name may have its value from, read backwards in the source."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from lossguard.operations.table import named
from lossguard.tracing.program.sources import Function, Source, own_nodes

#: Stands in a path for "an element of it".
EACH: Final = type("Each", (), {"__repr__": lambda _: "EACH"})()
#: Stands in a path for "its keys".
KEYS: Final = type("Keys", (), {"__repr__": lambda _: "KEYS"})()
Path = tuple[Any, ...]


class Chosen:
    """Stands in a path for a mask or an array of places, which compare element by element; this is one thing."""

    __slots__ = ("places",)

    def __init__(self, places: Any) -> None:
        self.places = places

    @classmethod
    def of(cls, key: Any) -> Any:
        """`key` itself if it is plain, else wrapped."""
        return cls(key) if getattr(key, "shape", ()) else key


_GROWING: Final = named("writes", "grows")


@dataclass(frozen=True, slots=True)
class Definition:
    """A place where a name gets its value: from `value`, by way of `path`."""

    #: None for a parameter, and for a loop's or an import's name without an expression.
    statement: ast.stmt | None
    value: ast.expr | None
    path: Path = ()
    #: Only a part of the old value is overwritten, or something is added to it.
    partial: bool = False
    #: The item that is overwritten, for `name[key] = value`.
    key: ast.expr | None = None
    #: The keys of the items around it, for `name[outer][key] = value`.
    around: tuple[ast.expr, ...] = ()
    #: Something is added: `append`, `extend`, `update`.
    grows: bool = False
    parameter: str = ""


Chooser = Callable[[ast.expr], bool | None]


def bindings(statement: ast.stmt, name: str) -> list[Definition]:
    """How `statement` itself, without the statements inside it, gives `name` a value."""
    found = [
        Definition(statement, node.value)
        for node in _head_nodes(statement)
        if isinstance(node, ast.NamedExpr) and node.target.id == name
    ]
    match statement:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                found.extend(_assigned(statement, target, value, name))
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            found.extend(_assigned(statement, target, value, name))
        case ast.AugAssign(target=target, op=sign, value=value):
            whole = ast.copy_location(ast.BinOp(left=target, op=sign, right=value), statement)
            found.extend(_assigned(statement, target, whole, name))
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=base, attr=method)) as call) if dotted(base) == name:
            found.extend(_mutated(statement, call, method))
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Subscript() as part, attr="copy_" | "fill_"), args=[value, *_])
        ) if is_within(part, name):
            found.append(Definition(statement, value, partial=True, key=part.slice))
        case _:
            found.extend(_headed(statement, name))
    return found


def _headed(statement: ast.stmt, name: str) -> list[Definition]:
    """Names that the head of a compound statement or an import gives a value."""
    match statement:
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            path = unpacked(target, name)
            return [] if path is None else [Definition(statement, value, (EACH, *path))]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return [
                Definition(statement, item.context_expr)
                for item in items
                if item.optional_vars is not None and unpacked(item.optional_vars, name) == ()
            ]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            own = [alias.asname or alias.name.partition(".")[0] for alias in names]
            return [Definition(statement, None)] if name in own else []
        case ast.FunctionDef() | ast.ClassDef() | ast.AsyncFunctionDef():
            return [Definition(statement, None)] if statement.name == name else []
    return []


def _assigned(statement: ast.stmt, target: ast.expr, value: ast.expr, name: str) -> Iterator[Definition]:
    path = unpacked(target, name)
    if path is not None:
        yield Definition(statement, value, path)
    elif isinstance(target, ast.Subscript) and is_within(target, name):
        yield Definition(statement, value, partial=True, key=target.slice, around=_keys_around(target))
    elif isinstance(target, ast.Tuple | ast.List) and not any(isinstance(part, ast.Starred) for part in target.elts):
        for number, part in enumerate(target.elts):
            if isinstance(part, ast.Subscript) and is_within(part, name):
                yield Definition(statement, value, (number,), partial=True, key=part.slice, around=_keys_around(part))


def _keys_around(target: ast.Subscript) -> tuple[ast.expr, ...]:
    """The keys by which one comes to what an item is written into, the outermost first."""
    found: list[ast.expr] = []
    inner = target.value
    while isinstance(inner, ast.Subscript):
        found.append(inner.slice)
        inner = inner.value
    return tuple(reversed(found))


def _mutated(statement: ast.stmt, call: ast.Call, method: str) -> Iterator[Definition]:
    if method in _GROWING and call.args:
        path: Path = (EACH,) if method in {"extend", "update"} else ()
        yield Definition(statement, call.args[-1], path, partial=True, grows=True)
    elif (method.endswith("_") and not method.startswith("_")) or any(word.arg == "inplace" for word in call.keywords):
        yield Definition(statement, call)


def through_rows(loop: ast.stmt, name: str, inside: ast.stmt) -> list[Definition]:
    """How a statement `inside` a loop over the rows of `name` changes them: `for row, new in zip(name, ...)`."""
    if not isinstance(loop, ast.For):
        return []
    rows = _row_names(loop.target, loop.iter, name)
    found = [definition for row in rows for definition in bindings(inside, row)]
    written = [definition for definition in found if definition.partial or isinstance(inside, ast.Expr)]
    return [replace(definition, partial=True) for definition in written]


def _row_names(target: ast.expr, items: ast.expr, name: str) -> list[str]:
    """The variables of a loop that stand for the rows of `name`."""
    if isinstance(target, ast.Name):
        return [target.id] if dotted(items) == name else []
    called = items.func.id if isinstance(items, ast.Call) and isinstance(items.func, ast.Name) else ""
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
    if not isinstance(items, ast.Call) or any(isinstance(part, ast.Starred) for part in [*parts, *items.args]):
        return []
    if called == "enumerate" and len(parts) == 2 and items.args:
        return _row_names(parts[1], items.args[0], name)
    if called == "zip":
        return [row for part, given in zip(parts, items.args, strict=False) for row in _row_names(part, given, name)]
    return []


def unpacked(target: ast.expr, name: str) -> Path | None:
    """The path from the assigned value to `name` in an unpacking."""
    if isinstance(target, ast.Name | ast.Attribute):
        return () if dotted(target) == name else None
    if isinstance(target, ast.Tuple | ast.List):
        for number, element in enumerate(target.elts):
            inner = unpacked(element, name)
            if inner is not None:
                starred = any(isinstance(before, ast.Starred) for before in target.elts[:number])
                return (number - len(target.elts) if starred else number, *inner)
    return None


def dotted(node: ast.expr) -> str:
    """`name` or `name.attribute`; empty for anything else."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def is_within(node: ast.expr, name: str) -> bool:
    """Whether `node` is an item of `name`, as `name[a]`, `name.loc[a]` or `name[a][b]` are."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
        if dotted(node) == name:
            return True
    return False


def _head_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, without the statements inside it."""
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt | ast.ExceptHandler):
            yield from ast.walk(child)


@dataclass(frozen=True, slots=True)
class Scope:
    """A function or a module as source, in which definitions are looked for."""

    source: Source
    node: Function | ast.Module

    def reaching(self, name: str, statement: ast.stmt | None, choose: Chooser) -> list[Definition]:
        """The definitions of `name` that may hold just before `statement`; None stands for the scope's end."""
        found: list[Definition] = []
        if isinstance(self.node, ast.Lambda):
            return [Definition(None, None, parameter=name)] if name in parameters(self.node) else []
        if statement is None:
            if _search(self.node.body, name, choose, found):
                return found
        elif self._backwards(statement, name, choose, found):
            return found
        if isinstance(self.node, ast.Module):
            return found
        return [*found, Definition(None, None, parameter=name)] if name in parameters(self.node) else found

    def assigns(self, name: str) -> bool:
        """Whether any statement of this scope gives `name`, which may be dotted, a value."""
        return any(isinstance(node, ast.stmt) and bindings(node, name) for node in own_nodes(self.node))

    def _backwards(self, statement: ast.stmt, name: str, choose: Chooser, found: list[Definition]) -> bool:
        """Walk up from `statement`, block by block; True when a definition surely holds."""
        current: ast.AST = statement
        while current is not self.node:
            parent = self.source.parents.get(current)
            if parent is None:
                return False
            block = _block_around(parent, current)
            if block is not None:
                place = next(number for number, item in enumerate(block) if item is current)
                if _search(block[:place], name, choose, found):
                    return True
                if isinstance(parent, ast.For | ast.AsyncFor | ast.With | ast.AsyncWith) and block is parent.body:
                    own = bindings(parent, name)
                    found.extend(own)
                    if own:
                        return True
                if isinstance(parent, ast.For | ast.While | ast.AsyncFor):
                    _search(block[place:], name, choose, found)
            current = parent
        return False

    @property
    def names(self) -> frozenset[str]:
        """The names that are local to this function."""
        if isinstance(self.node, ast.Module):
            return frozenset()
        stored = {
            node.id for node in own_nodes(self.node) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        return frozenset(stored | set(parameters(self.node)))


def parameters(function: Function) -> list[str]:
    """The names of a function's parameters, in order."""
    given = function.args
    names = [*given.posonlyargs, *given.args, *([given.vararg] if given.vararg else []), *given.kwonlyargs]
    return [argument.arg for argument in names] + ([given.kwarg.arg] if given.kwarg else [])


def default_of(function: Function | ast.Module, name: str) -> ast.expr | None:
    """The default of a parameter, as it is written in the head of a function; None if it has none."""
    given = ast.arguments([], [], None, [], [], None, []) if isinstance(function, ast.Module) else function.args
    words = [*given.kwonlyargs, *reversed([*given.posonlyargs, *given.args])]
    values = [*given.kw_defaults, *reversed(given.defaults)]
    return next((value for word, value in zip(words, values, strict=False) if word.arg == name), None)


def _block_around(parent: ast.AST, child: ast.AST) -> list[ast.stmt] | None:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(parent, field, None)
        if isinstance(block, list) and any(item is child for item in block):
            return block
    return None


def _search(block: list[ast.stmt], name: str, choose: Chooser, found: list[Definition]) -> bool:
    """Look through a block from its end; True when a definition surely holds after it."""
    for statement in reversed(block):
        if _search_inside(statement, name, choose, found):
            return True
        own = [] if isinstance(statement, ast.With | ast.For) else bindings(statement, name)
        found.extend(own)
        if any(not definition.partial for definition in own):
            return True
    return False


def _search_inside(statement: ast.stmt, name: str, choose: Chooser, found: list[Definition]) -> bool:
    match statement:
        case ast.If(test=test, body=body, orelse=orelse):
            answer = choose(test)
            if answer is not None:
                return _search(body if answer else orelse, name, choose, found)
            first = _search(body, name, choose, found)
            return _search(orelse, name, choose, found) and first
        case ast.For(body=body) | ast.While(body=body) | ast.AsyncFor(body=body):
            _search(body, name, choose, found)
            inside = [inner for part in body for inner in ast.walk(part) if isinstance(inner, ast.stmt)]
            found.extend(definition for inner in inside for definition in through_rows(statement, name, inner))
            found.extend(bindings(statement, name))
            return False
        case ast.With(body=body) | ast.AsyncWith(body=body):
            if _search(body, name, choose, found):
                return True
            own = bindings(statement, name)
            found.extend(own)
            return bool(own)
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            if _search(final, name, choose, found):
                return True
            for handler in handlers:
                _search(handler.body, name, choose, found)
            return _search([*body, *orelse], name, choose, found)
    return False
