"""The user's own source: which files are his, their syntax trees, the statement at a line."""

from __future__ import annotations

import ast
import functools
import itertools
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

from lossguard.operations.roles import PIPING
from lossguard.paths import is_users, source_line, source_lines

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Source:
    """One file, parsed, with the way from each node to the one around it."""

    def __init__(self, filename: str, tree: ast.Module) -> None:
        self.filename = filename
        self.tree = tree
        self._statements: dict[tuple[int, ast.AST], ast.stmt | None] = {}
        self.parents: dict[ast.AST, ast.AST] = {
            child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)
        }

    def function_of(self, code: types.CodeType) -> Function | ast.Module | None:
        """The node that `code` was compiled from; for a comprehension, the function around it."""
        if code.co_name == "<module>":
            return self.tree
        functions = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        ]
        found = [node for node in functions if _is_compiled_to(node, code)]
        return found[0] if len(found) == 1 else _narrowest(found, code)

    def statement_at(self, line: int, within: ast.AST) -> ast.stmt | None:
        """The innermost statement of `within` that covers `line`; of a compound one only its head counts."""
        if (line, within) not in self._statements:
            self._statements[line, within] = self._find_statement(line, within)
        return self._statements[line, within]

    def _find_statement(self, line: int, within: ast.AST) -> ast.stmt | None:
        best: ast.stmt | None = None
        for node in own_nodes(within):
            if isinstance(node, ast.stmt) and node.lineno <= line <= head_end(node):
                best = node if best is None or node.lineno >= best.lineno else best
        return best

    def statement_of(self, node: ast.AST) -> ast.stmt | None:
        """The statement around an expression."""
        current: ast.AST | None = node
        while current is not None and not isinstance(current, ast.stmt):
            current = self.parents.get(current)
        return current

    def scope_of(self, node: ast.AST) -> Function | ast.Module:
        """The function around a node, or the module."""
        current = self.parents.get(node)
        while current is not None and not isinstance(current, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            current = self.parents.get(current)
        return self.tree if current is None else current

    def line(self, number: int) -> str:
        """The text of a line, without its indentation."""
        return source_line(self.filename, number)


@functools.cache
def source_of(filename: str) -> Source | None:
    """The parsed file; None if there is no source or it is no Python."""
    text = "".join(source_lines(filename))
    try:
        return Source(filename, _Plainer().visit(ast.parse(text))) if text else None
    except (SyntaxError, ValueError, RecursionError):
        return _without_magics(filename, text)


def _without_magics(filename: str, text: str) -> Source | None:
    """A notebook's cell may hold lines for the shell; they are no part of the program."""
    kept = ["pass" if line.lstrip().startswith(("%", "!")) else line for line in text.splitlines()]
    try:
        return Source(filename, _Plainer().visit(ast.parse("\n".join(kept))))
    except (SyntaxError, ValueError, RecursionError):
        return None


class _Plainer(ast.NodeTransformer):
    """Writes `table.pipe(clean, 3)` as what it is, `clean(table, 3)`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call by way of a method that calls what it is given."""
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=table, attr=name), args=[function, *_]) if name in PIPING:
                if isinstance(function, ast.Name | ast.Attribute | ast.Lambda):
                    return ast.copy_location(ast.Call(function, [table, *node.args[1:]], node.keywords), node)
        return node


def users_sources(frame: types.FrameType) -> Iterator[Source]:
    """The parsed files of the user's own that are loaded, that of the frame first."""
    files = [frame.f_code.co_filename]
    files += [str(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())]
    for filename in dict.fromkeys(files):
        if filename and is_users(filename) and (source := source_of(filename)) is not None:
            yield source


def own_nodes(scope: ast.AST) -> list[ast.AST]:
    """The nodes of a scope without those of functions and classes inside it."""
    found: list[ast.AST] = []
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        found.append(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
    return found


def outermost_loop(scope: ast.AST, line: int) -> ast.stmt | None:
    """The loop of a scope that a line stands in and that stands in no other."""
    loops = [node for node in own_nodes(scope) if isinstance(node, ast.For | ast.While | ast.AsyncFor)]
    around = [loop for loop in loops if loop.lineno <= line <= (loop.end_lineno or loop.lineno)]
    return min(around, key=lambda loop: loop.lineno, default=None)


def head_end(node: ast.stmt) -> int:
    """The last line of a statement; of a compound one, of its head."""
    body: list[ast.stmt] = getattr(node, "body", [])
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.lineno
    return max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno


def _is_compiled_to(node: ast.AST, code: types.CodeType) -> bool:
    if isinstance(node, ast.Lambda):
        return code.co_name == "<lambda>" and node.lineno == code.co_firstlineno
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name != code.co_name:
        return False
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return first == code.co_firstlineno


def _narrowest(found: list[Any], code: types.CodeType) -> Function | None:
    """Of several lambdas on one line, the one with the same arguments and the same columns."""
    positions = [place for place in code.co_positions() if place[2] is not None]
    first = min((place[2] for place in positions if place[2]), default=None)
    fitting = [node for node in found if isinstance(node, ast.Lambda) and node.body.col_offset == first]
    return fitting[0] if len(fitting) == 1 else None


def expression_at(code: types.CodeType, instruction: int) -> ast.expr | None:
    """The call or item that an instruction was compiled from."""
    source = source_of(code.co_filename)
    place = next(itertools.islice(code.co_positions(), instruction // 2, None), None)
    for node in ast.walk(source.tree) if source is not None and place is not None else ():
        if isinstance(node, ast.Call | ast.Subscript) and place == (
            node.lineno,
            node.end_lineno,
            node.col_offset,
            node.end_col_offset,
        ):
            return node
    return None


def users_frames(frame: types.FrameType | None) -> list[types.FrameType]:
    """The frames of the user's files, from `frame` outwards to the program's main module."""
    found: list[types.FrameType] = []
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            found.append(frame)
            if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "__main__":
                break
        frame = frame.f_back
    return found


def share_a_loop(first: ast.AST, second: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether two statements stand in one loop."""
    around: ast.AST | None = first
    loops = set()
    while around is not None:
        loops.add(around if isinstance(around, ast.For | ast.While | ast.AsyncFor) else None)
        around = parents.get(around)
    around = second
    while around is not None and (around not in loops or around is None):
        around = parents.get(around)
    return around is not None


def variables_of(frame: types.FrameType) -> dict[str, Any]:
    """What the names of a frame hold. Of a module whose comprehension runs, Python 3.13 tells those of that alone."""
    held = frame.f_locals
    return dict(held) if frame.f_code.co_name != "<module>" else {**frame.f_globals, **held}
