"""Rewritings of whole files: the last statements move into functions or a class, definitions into another file."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rewriting_trees import (
    BUILTINS,
    DEFINITIONS,
    IMPORTS,
    after_heads,
    bound,
    called,
    function,
    headed,
    identifiers,
    in_texts,
    is_reflective,
    mark,
    statements,
    stored,
    used,
)

#: The file that definitions move into.
PARTS: Final = "parts_of_it"


@dataclass(frozen=True)
class Tail:
    """The last statements of a module, whose variables nothing else needs: before the first loop, and the rest."""

    first: list[ast.stmt]
    second: list[ast.stmt]

    @property
    def whole(self) -> list[ast.stmt]:
        """Both parts."""
        return [*self.first, *self.second]

    def variables(self) -> set[str]:
        """What assignments bind, and nothing else."""
        inside = [node for statement in self.whole for node in ast.walk(statement)]
        assignments = [node for node in inside if isinstance(node, (ast.Assign, ast.AugAssign))]
        targets = [
            target
            for node in assignments
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        ]
        by_assignment = Counter(name for target in targets for name in stored(target))
        by_all = Counter(node.id for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        other = {node.arg for node in inside if isinstance(node, ast.arg)}
        for node in inside:
            if isinstance(node, (*DEFINITIONS, *IMPORTS, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
                other |= identifiers(node)
        own = {name for name, number in by_assignment.items() if by_all[name] == number}
        return own - other - in_texts(ast.Module(self.whole, []))


def _cut_tail(tree: ast.Module) -> Tail | None:
    """Take the statements off that can stand in a function as they are; None if there are none."""
    start = max((i for i, part in enumerate(tree.body) if isinstance(part, (*DEFINITIONS, *IMPORTS))), default=-1) + 1
    if is_reflective(ast.Module(tree.body[start:], [])) or _names_itself(tree.body[start:]):
        return None
    for position in range(max(start, 1), len(tree.body)):
        before, after = tree.body[:position], tree.body[position:]
        if not bound(after) & (used(before) | bound(before) | BUILTINS):
            del tree.body[position:]
            loops = (number for number, part in enumerate(after) if number and isinstance(part, (ast.For, ast.While)))
            middle = next(loops, max(1, len(after) - 1))
            return Tail(after[:middle], after[middle:])
    return None


def _names_itself(body: Sequence[ast.stmt]) -> bool:
    """Whether statements ask what their module is."""
    return any(
        isinstance(node, ast.Name) and node.id in {"__name__", "__file__"}
        for statement in body
        for node in ast.walk(statement)
    )


def main_function(tree: ast.Module) -> ast.Module | None:
    """The last statements stand in a function that is called."""
    tail = _cut_tail(tree)
    if tail is None:
        return None
    tree.body += [function("main_entry", (), tail.whole), ast.Expr(called("main_entry"))]
    return tree


class Replaced(ast.NodeTransformer):
    """Names are replaced by expressions; `NAME` in the form stands for the name."""

    def __init__(self, names: set[str], form: str, *, stores: bool) -> None:
        self.names, self.form, self.stores = names, form, stores

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Each place of a name."""
        if node.id not in self.names or not (self.stores or isinstance(node.ctx, ast.Load)):
            return node
        new = ast.parse(self.form.replace("NAME", node.id), mode="eval").body
        assert isinstance(new, (ast.Attribute, ast.Subscript))
        new.ctx = node.ctx
        return new

    def all(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Statements with their names replaced."""
        for statement in body:
            self.visit(statement)
        return list(body)


def _elsewhere(tree: ast.Module, form: str) -> Tail | None:
    """The last statements with their variables kept somewhere else; None if one that stays is needed in both parts."""
    tail = _cut_tail(tree)
    own = tail.variables() if tail is not None else set()
    if tail is None or not own or (bound(tail.first) - own) & used(tail.second):
        return None
    replaced = Replaced(own, form, stores=True)
    return Tail(replaced.all(tail.first), replaced.all(tail.second))


def runner(tree: ast.Module) -> ast.Module | None:
    """The variables of the last statements are attributes of an object that prepares and runs."""
    tail = _elsewhere(tree, "self.NAME")
    if tail is None:
        return None
    text = "class WholeRunner:\n    def __init__(self): pass\n    def run(self): pass\nWholeRunner().run()"
    new, call = statements(text)
    assert isinstance(new, ast.ClassDef)
    new.body = [function("__init__", ("self",), tail.first), function("run", ("self",), tail.second or [ast.Pass()])]
    tree.body += [new, call]
    return tree


def state(tree: ast.Module) -> ast.Module | None:
    """The variables of the last statements are entries of a dictionary that functions are given."""
    tail = _elsewhere(tree, "state_of_run['NAME']")
    if tail is None:
        return None
    tree.body += [
        function("prepare_all", ("state_of_run",), tail.first),
        function("train_all", ("state_of_run",), tail.second or [ast.Pass()]),
        *statements("everything_of_run = {}\nprepare_all(everything_of_run)\ntrain_all(everything_of_run)"),
    ]
    return tree


def parameters(tree: ast.Module) -> ast.Module | None:
    """A function prepares and returns what another one is given."""
    tail = _cut_tail(tree)
    if tail is None or not tail.second:
        return None
    needed = sorted(bound(tail.first) & used(tail.second))
    if not needed or not _bound_always(tail.first) >= set(needed):
        return None
    names = ", ".join(needed)
    handed = ", ".join(f"handed_{name}" for name in needed)
    tree.body += [
        function("prepare_all", (), [*tail.first, *statements(f"return {names}")]),
        function("train_all", needed, tail.second),
        *statements(f"{handed} = prepare_all()\ntrain_all({handed})"),
    ]
    return tree


def _bound_always(body: Sequence[ast.stmt]) -> set[str]:
    """What is bound whatever happens."""
    return bound([part for part in body if not isinstance(part, (ast.If, ast.Try, ast.For, ast.While, ast.Match))])


def shared_globals(tree: ast.Module) -> ast.Module | None:
    """Functions write the variables of the module."""
    tail = _cut_tail(tree)
    if tail is None or not tail.second:
        return None
    for name, body in (("prepare_all", tail.first), ("train_all", tail.second)):
        names = sorted(bound(body))
        tree.body.append(function(name, (), [*([ast.Global(names)] if names else []), *body]))
    tree.body += statements("prepare_all()\ntrain_all()")
    return tree


_TRIED: Final = """
try:
    with torch.enable_grad():
        pass
except KeyboardInterrupt:
    print("stopped")
"""


def tried(tree: ast.Module) -> ast.Module | None:
    """The last statements stand in a `try` and a `with`."""
    start = max((i for i, part in enumerate(tree.body) if isinstance(part, (*DEFINITIONS, *IMPORTS))), default=0) + 1
    tail = tree.body[start:]
    if not tail:
        return None
    (new,) = statements(_TRIED)
    assert isinstance(new, ast.Try)
    assert isinstance(new.body[0], ast.With)
    new.body[0].body = tail
    tree.body[start:] = [new]
    return headed(tree, "import torch")


def split(tree: ast.Module) -> tuple[ast.Module, ast.Module] | None:
    """Functions and classes stand in a file of their own, with the constants that they need."""
    parts = _parts(tree)
    if parts is None:
        return None
    others = [part for part in tree.body if part not in parts]
    if bound(others) & bound(parts) or _names_itself(parts) or is_reflective(ast.Module(others, [])):
        return None
    imports = _imports_of(parts, others)
    if imports is None:
        return None
    names = ", ".join(sorted(bound(parts)))
    main = headed(ast.Module(others, []), f"from {PARTS} import {names}")
    return main, ast.Module([*copy.deepcopy(imports), *parts], [])


def _parts(tree: ast.Module) -> list[ast.stmt] | None:
    """The definitions and the constants that they need, in their order; None if they need what is computed."""
    rest = [part for part in tree.body if not isinstance(part, (*DEFINITIONS, *IMPORTS))]
    taken: list[ast.stmt] = [part for part in tree.body if isinstance(part, DEFINITIONS)]
    if not taken or any(isinstance(node, ast.Global) for node in ast.walk(tree)):
        return None
    while more := [part for part in rest if part not in taken and bound([part]) & used(taken)]:
        taken += more
    if any(not _is_constant(part) for part in taken if not isinstance(part, DEFINITIONS)):
        return None
    # What a definition computes where it stands may not be computed earlier.
    if any(isinstance(node, ast.Call) for part in taken for node in _computed(part)):
        return None
    return [part for part in tree.body if part in taken]


def _is_constant(statement: ast.stmt) -> bool:
    """Whether a statement gives a name to something that is written down."""
    return isinstance(statement, ast.Assign) and all(isinstance(target, ast.Name) for target in statement.targets)


def _computed(statement: ast.stmt) -> list[ast.AST]:
    """What is computed when a definition or an assignment is run; decorators are left out."""
    if isinstance(statement, ast.ClassDef):
        return [node for part in (*statement.bases, *statement.body) for node in _computed_in(part)]
    return _computed_in(statement)


def _computed_in(part: ast.AST) -> list[ast.AST]:
    inner = part.args if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) else part
    return list(ast.walk(inner))


def _imports_of(parts: Sequence[ast.stmt], others: Sequence[ast.stmt]) -> list[ast.stmt] | None:
    """The imports that parts need; None if something is done before one of them, as to the path."""
    needed, found, done = used(parts), list[ast.stmt](), False
    for number, statement in enumerate(others):
        if isinstance(statement, IMPORTS):
            future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
            if future or bound([statement]) & needed:
                found.append(statement)
                if done:
                    return None
        else:
            done = done or (number > 0 and isinstance(statement, ast.Expr))
    return found


def by_module(tree: ast.Module) -> tuple[ast.Module, ast.Module] | None:
    """The same, and they are named by their module."""
    both = split(tree)
    if both is None:
        return None
    main, parts = both
    names = bound(parts.body) - {name for part in parts.body if isinstance(part, IMPORTS) for name in bound([part])}
    position = next(
        number for number, part in enumerate(main.body) if isinstance(part, ast.ImportFrom) and part.module == PARTS
    )
    main.body[position : position + 1] = statements(f"import {PARTS}")
    arguments = {node.arg for node in ast.walk(main) if isinstance(node, ast.arg)}
    if names & ({*stored(main)} | arguments | in_texts(main)):
        return None
    main.body = Replaced(names, f"{PARTS}.NAME", stores=False).all(main.body)
    return main, parts


def arguments(tree: ast.Module) -> ast.Module | None:
    """Numbers of the module are options of the command line."""
    constants = numbers_of(tree)
    if not constants:
        return None
    added = []
    for statement, name, value in constants:
        text = f"parser_of_run.add_argument('--{name}', type={type(value).__name__}, default={value!r})"
        added.append(mark(statements(text)[0], statement))
    tree.body = [part for part in tree.body if not any(part is statement for statement, _, _ in constants)]
    Replaced({name for _, name, _ in constants}, "options_of_run.NAME", stores=False).all(tree.body)
    position = after_heads(tree)
    tree.body[position:position] = [
        *statements("import argparse\nparser_of_run = argparse.ArgumentParser()"),
        *added,
        *statements("options_of_run = parser_of_run.parse_args([])"),
    ]
    return tree


def numbers_of(tree: ast.Module) -> list[tuple[ast.stmt, str, float]]:
    """The statements that give a number to a name that is bound nowhere else, with the name and the number."""
    others = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)} | in_texts(tree) | BUILTINS
    for node in ast.walk(tree):
        others |= identifiers(node) if isinstance(node, (*IMPORTS, ast.Global)) else set()
    places = Counter(stored(tree))
    found: list[tuple[ast.stmt, str, float]] = []
    for part in tree.body:
        target = part.targets[0] if isinstance(part, ast.Assign) and len(part.targets) == 1 else None
        if isinstance(part, ast.Assign) and isinstance(target, ast.Name) and isinstance(part.value, ast.Constant):
            value, name = part.value.value, target.id
            if (
                isinstance(value, (int, float))
                and not isinstance(value, bool)
                and places[name] == 1
                and name not in others
            ):
                found.append((part, name, value))
    return found
