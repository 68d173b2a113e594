"""What rewritings of programs are made of: marks on syntax trees, new statements, and which names a statement binds."""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

Node = TypeVar("Node", bound=ast.AST)
BUILTINS: Final = frozenset(dir(builtins))
DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS: Final = (ast.Import, ast.ImportFrom)
_REFLECTIVE: Final = frozenset({"locals", "globals", "vars", "exec", "eval", "super", "__class__"})
_ORDERED: Final = (ast.Lambda, ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr, ast.Starred)
#: A name in a text that is read as one: `@name` of a query, `{name=}` of a formatted text.
_IN_TEXT: Final = re.compile(r"@(\w+)|(\w+)\s*=")


def mark(node: Node, old: ast.AST | None = None) -> Node:
    """The node, marked as guilty; if an old one is given, only where that is marked."""
    if old is None or is_marked(old):
        vars(node)["guilty"] = True
    return node


def is_marked(node: ast.AST) -> bool:
    """Whether the line that the node stems from is the guilty one."""
    return "guilty" in vars(node)


def mark_line(tree: ast.Module, line: int) -> None:
    """Mark the innermost statement that a line belongs to."""
    holding = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    mark(max(holding, key=lambda node: (node.lineno, -(node.end_lineno or 0))))


def statements(text: str) -> list[ast.stmt]:
    """The statements of a piece of program."""
    return ast.parse(text).body


def load(name: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(name, ast.Load())


def assigned(name: str, value: ast.expr) -> ast.Assign:
    """A name is bound to a value."""
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=0)


def called(name: str, *arguments: ast.expr) -> ast.Call:
    """A function of the module is called."""
    return ast.Call(load(name), list(arguments), [])


def function(name: str, parameters: Iterable[str], body: Sequence[ast.stmt]) -> ast.FunctionDef:
    """A function with such a body."""
    new = statements(f"def {name}({', '.join(parameters)}): pass")[0]
    assert isinstance(new, ast.FunctionDef)
    new.body = list(body)
    return new


def after_heads(tree: ast.Module) -> int:
    """Where the docstring and the first imports end: what is put there is known to all that follows."""
    return next(
        (
            position
            for position, statement in enumerate(tree.body)
            if not isinstance(statement, IMPORTS) and (position or not _is_text(statement))
        ),
        len(tree.body),
    )


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def headed(tree: ast.Module, text: str) -> ast.Module:
    """The tree with a piece of program behind its first imports."""
    position = after_heads(tree)
    tree.body[position:position] = statements(text)
    return tree


def blocks(tree: ast.Module) -> list[tuple[list[ast.stmt], ast.AST]]:
    """All lists of statements but those right in a class, each with the function or module whose variables it binds."""
    return list(_blocks(tree, tree))


def _blocks(node: ast.AST, scope: ast.AST) -> Iterator[tuple[list[ast.stmt], ast.AST]]:
    for block in _own_blocks(node):
        if not isinstance(scope, ast.ClassDef):
            yield block, scope
        for statement in block:
            yield from _blocks(statement, statement if isinstance(statement, DEFINITIONS) else scope)


def _own_blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements that belong to a statement itself."""
    if isinstance(node, (ast.Module, ast.stmt)):
        yield from (getattr(node, field) for field in ("body", "orelse", "finalbody") if getattr(node, field, None))
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield part.body


def each_statement(tree: ast.Module, change: Callable[[ast.stmt], list[ast.stmt]]) -> ast.Module | None:
    """The tree with each statement replaced by others; None if nothing is changed."""
    before = ast.dump(tree)
    for block, _ in blocks(tree):
        block[:] = [new for statement in block for new in change(statement)]
    return tree if ast.dump(tree) != before else None


def bound(body: Sequence[ast.stmt]) -> set[str]:
    """The names that statements bind where they stand, and as globals from inside of functions."""
    table = _table(body)
    own = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    return own | {
        symbol.get_name()
        for inner in _inner(table)
        for symbol in inner.get_symbols()
        if symbol.is_declared_global() and symbol.is_assigned()
    }


def used(body: Sequence[ast.stmt]) -> set[str]:
    """The names that statements need from where they stand, inside of functions too."""
    table = _table(body)
    own = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    changed = {
        node.target.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    }
    return own.union(
        changed,
        *({symbol.get_name() for symbol in inner.get_symbols() if symbol.is_global()} for inner in _inner(table)),
    )


def _table(body: Sequence[ast.stmt]) -> symtable.SymbolTable:
    return symtable.symtable(ast.unparse(ast.Module(list(body), [])), "main.py", "exec")


def _inner(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _inner(child)


def identifiers(tree: ast.AST) -> set[str]:
    """Every name that stands anywhere, for whatever."""
    found = set[str]()
    for node in ast.walk(tree):
        values = (getattr(node, field, None) for field in ("id", "arg", "name", "asname", "attr", "module"))
        found |= {value for value in values if isinstance(value, str)}
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            found |= set(node.names)
    return found


def stored(tree: ast.AST) -> list[str]:
    """The names of all variables, once for each place that binds them."""
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]


def in_texts(tree: ast.AST) -> set[str]:
    """The names that texts of the program may speak of."""
    return {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for found in _IN_TEXT.findall(node.value)
        for name in found
    }


def is_reflective(tree: ast.AST) -> bool:
    """Whether a program looks at its own variables."""
    return any(isinstance(node, ast.Name) and node.id in _REFLECTIVE for node in ast.walk(tree))


def is_movable(value: ast.expr) -> bool:
    """Whether an expression means the same in a statement or a function of its own; a file may be closed too late."""
    return not (is_reflective(value) or "open" in identifiers(value)) and not any(
        isinstance(node, _ORDERED) or (isinstance(node, ast.Attribute) and _is_private(node.attr))
        for node in ast.walk(value)
    )


def _is_private(name: str) -> bool:
    """Whether a class changes the name."""
    return name.startswith("__") and not name.endswith("__")


def is_quiet(value: ast.expr) -> bool:
    """Whether it does not matter when the expression is computed."""
    if isinstance(value, ast.Lambda):
        return True
    return not any(
        isinstance(node, (ast.Call, ast.BinOp, ast.Subscript, ast.comprehension)) for node in ast.walk(value)
    )
