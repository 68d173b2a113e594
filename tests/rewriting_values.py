"""Rewritings of how values and functions are handed on: copies, files, tables of functions, settings, batches."""

from __future__ import annotations

import ast
import copy
import itertools
from typing import Final

from rewriting_modules import Replaced, numbers_of
from rewriting_statements import is_loader
from rewriting_trees import (
    after_heads,
    called,
    function,
    headed,
    identifiers,
    is_reflective,
    load,
    mark,
    statements,
    stored,
)

_COPIED: Final = """
def handed_over(value):
    import copy
    kind = type(value).__module__.partition(".")[0]
    held = kind in ("numpy", "pandas") or type(value) in (list, dict)
    if kind == "torch" and hasattr(value, "dtype") and not value.requires_grad and hasattr(value, "clone"):
        return value.clone()
    return copy.deepcopy(value) if held else value
"""
_SAVED: Final = """
def handed_over(value):
    import pickle, tempfile
    kind = type(value).__module__.partition(".")[0]
    held = kind in ("numpy", "pandas") or type(value) in (list, dict)
    if not held and not (kind == "torch" and hasattr(value, "clone") and not value.requires_grad):
        return value
    with tempfile.TemporaryFile() as file:
        pickle.dump(value, file)
        file.seek(0)
        return pickle.load(file)
"""


def _handed_over(tree: ast.Module, text: str) -> ast.Module | None:
    """What is assigned in the statements of the module goes through a function."""
    shared = [node for node in ast.walk(tree) if isinstance(node, (ast.Global, ast.Nonlocal))]
    found = False
    for statement in tree.body if not shared else ():
        if isinstance(statement, ast.Assign) and isinstance(statement.value, (ast.Call, ast.BinOp, ast.Subscript)):
            statement.value, found = called("handed_over", statement.value), True
    return headed(tree, text) if found else None


def copied(tree: ast.Module) -> ast.Module | None:
    """What the module's names are given is a copy."""
    return _handed_over(tree, _COPIED)


def saved(tree: ast.Module) -> ast.Module | None:
    """What the module's names are given was written into a file and read again."""
    return _handed_over(tree, _SAVED)


def _plain_functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """The functions of a module that nothing rebinds."""
    again = {*stored(tree), *(node.arg for node in ast.walk(tree) if isinstance(node, ast.arg))}
    found = [part for part in tree.body if isinstance(part, ast.FunctionDef) and not part.decorator_list]
    return [part for part in found if part.name not in again and not is_reflective(part)]


class _Called(ast.NodeTransformer):
    """Calls of some functions become others."""

    def __init__(self, names: set[str], form: str) -> None:
        self.names, self.form, self.count = names, form, 0

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Each call, after what it is given."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self.names:
            node.func = ast.parse(self.form.replace("NAME", node.func.id), mode="eval").body
            self.count += 1
        return node


def registry(tree: ast.Module) -> ast.Module | None:
    """Functions are registered in a dictionary and called by their names there."""
    functions = _plain_functions(tree)
    calls = _Called({part.name for part in functions}, "REGISTERED['NAME']")
    calls.visit(tree)
    for part in functions:
        part.decorator_list = [called("registered", ast.Constant(part.name))]
    text = """
REGISTERED = {}
def registered(name):
    def keep(function):
        REGISTERED[name] = function
        return function
    return keep
"""
    return headed(tree, text) if calls.count else None


def partials(tree: ast.Module) -> ast.Module | None:
    """Functions are called as partials of themselves."""
    calls = _Called({part.name for part in _plain_functions(tree)}, "functools.partial(NAME)")
    calls.visit(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and node.args:
            inner = node.func
            if ast.unparse(inner.func) == "functools.partial" and not isinstance(node.args[0], ast.Starred):
                inner.args.append(node.args.pop(0))
    return headed(tree, "import functools") if calls.count else None


def closures(tree: ast.Module) -> ast.Module | None:
    """Functions are made by functions without arguments."""
    functions = _plain_functions(tree)
    functions = [part for part in functions if not any(isinstance(node, ast.Global) for node in ast.walk(part))]
    for part in functions:
        maker = function(f"make_{part.name}", (), [part, ast.Return(load(part.name))])
        place = tree.body.index(part)
        made = ast.Assign([ast.Name(part.name, ast.Store())], called(f"make_{part.name}"), lineno=0)
        tree.body[place : place + 1] = [maker, made]
    return tree if functions else None


def inherited(tree: ast.Module) -> ast.Module | None:
    """Classes inherit everything from classes of the program."""
    found = False
    for place, part in reversed(list(enumerate(tree.body))):
        if isinstance(part, ast.ClassDef) and not part.decorator_list and part.name not in identifiers_inside(part):
            name, part.name = part.name, f"Whole{part.name}"
            heir = statements(f"class {name}({part.name}):\n    pass")[0]
            begins = any(isinstance(member, ast.FunctionDef) and member.name == "__init__" for member in part.body)
            if begins and isinstance(heir, ast.ClassDef):
                heir.body = statements("def __init__(self, *args, **kwargs):\n    super().__init__(*args, **kwargs)")
            tree.body.insert(place + 1, heir)
            found = True
    return tree if found else None


def identifiers_inside(part: ast.ClassDef) -> set[str]:
    """The names that stand in the body of a class."""
    return set[str]().union(*map(identifiers, part.body))


def settings(tree: ast.Module) -> ast.Module | None:
    """Numbers of the module are fields of a dataclass."""
    constants = numbers_of(tree)
    if not constants:
        return None
    fields = [
        mark(statements(f"{name}: {type(value).__name__} = {value!r}")[0], statement)
        for statement, name, value in constants
    ]
    tree.body = [part for part in tree.body if not any(part is statement for statement, _, _ in constants)]
    Replaced({name for _, name, _ in constants}, "settings_of_run.NAME", stores=False).all(tree.body)
    text = (
        "import dataclasses\n@dataclasses.dataclass\nclass SettingsOfRun:\n    pass\nsettings_of_run = SettingsOfRun()"
    )
    added = statements(text)
    assert isinstance(added[1], ast.ClassDef)
    added[1].body = fields
    position = after_heads(tree)
    tree.body[position:position] = added
    return tree


_DICTS: Final = """
def by_name_of(batches, names):
    for batch in batches:
        yield dict(zip(names, batch))
"""


def dicts(tree: ast.Module) -> ast.Module | None:
    """The parts of batches are entries of dictionaries."""
    numbers = itertools.count(1)
    found = False
    for node in ast.walk(tree):
        if not isinstance(node, ast.For) or not isinstance(node.target, ast.Tuple) or not is_loader(node.iter):
            continue
        if not all(isinstance(part, ast.Name) for part in node.target.elts):
            continue
        parts = [part.id for part in node.target.elts if isinstance(part, ast.Name)]
        batch = f"named_batch_{next(numbers)}"
        names = ast.Tuple([ast.Constant(f"part_{number}") for number in range(len(parts))], ast.Load())
        node.target, node.iter = ast.Name(batch, ast.Store()), called("by_name_of", node.iter, names)
        taken = [f"{part} = {batch}['part_{number}']" for number, part in enumerate(parts)]
        node.body[:0] = statements("\n".join(taken))
        found = True
    return headed(tree, _DICTS) if found else None


_MODELS: Final = """
import torch
class Passing(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
    def forward(self, *args, **kwargs):
        return self.inner(*args, **kwargs)
    def __getattr__(self, name):
        return super().__getattr__(name) if name == "inner" else getattr(super().__getattr__("inner"), name)
"""
_MODULES: Final = frozenset({"net", "model", "network", "encoder", "student", "classifier"})


def modelled(tree: ast.Module) -> ast.Module | None:
    """The module's models are held by another module, which hands everything on to them."""
    found = False
    for part in tree.body:
        if not isinstance(part, ast.Assign) or len(part.targets) != 1 or not isinstance(part.value, ast.Call):
            continue
        target = part.targets[0]
        if isinstance(target, ast.Name) and target.id in _MODULES:
            part.value, found = called("Passing", part.value), True
    return headed(tree, _MODELS) if found else None


def overloaded(tree: ast.Module) -> ast.Module | None:
    """Functions hand on to a function of their own with everything they are given."""
    functions = _plain_functions(tree)
    for part in functions:
        inner = copy.deepcopy(part)
        inner.name = f"{part.name}_itself"
        text = f"def {part.name}(*args, **kwargs):\n    return {inner.name}(*args, **kwargs)"
        place = tree.body.index(part)
        tree.body[place : place + 1] = [inner, *statements(text)]
    return tree if functions else None
