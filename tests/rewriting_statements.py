"""Rewritings of single statements and expressions: temporaries, loops, helpers, wrappers around functions and data."""

from __future__ import annotations

import ast
import copy
import itertools
from typing import Final

from rewriting_trees import (
    BUILTINS,
    DEFINITIONS,
    IMPORTS,
    after_heads,
    assigned,
    blocks,
    called,
    each_statement,
    function,
    headed,
    in_texts,
    is_movable,
    is_quiet,
    load,
    mark,
    statements,
    stored,
    used,
)

#: What a loss is called, besides names that end in _loss.
_LOSSES: Final = frozenset({"criterion", "loss_fn", "loss_function", "kl_div", "cross_entropy", "binary_cross_entropy"})


def temporaries(tree: ast.Module) -> ast.Module | None:
    """What a call is given is computed in statements before it."""
    names = itertools.count(1)

    def change(statement: ast.stmt) -> list[ast.stmt]:
        value = statement.value if isinstance(statement, (ast.Assign, ast.Return, ast.Expr)) else None
        if not isinstance(value, ast.Call) or not is_movable(value):
            return [statement]
        new: list[ast.stmt] = []

        def kept(part: ast.expr) -> ast.expr:
            """The part, or the name of what it gave before, if the moment matters."""
            if is_quiet(part):
                return part
            name = f"part_{next(names)}"
            new.append(mark(assigned(name, part), statement))
            return load(name)

        if isinstance(value.func, ast.Attribute):
            value.func.value = kept(value.func.value)
        else:
            value.func = kept(value.func)
        value.args = [kept(argument) for argument in value.args]
        for keyword in value.keywords:
            keyword.value = kept(keyword.value)
        return [*new, statement]

    return each_statement(tree, change)


def chains(tree: ast.Module) -> ast.Module | None:
    """Methods that are called one on what the other gave get a statement each."""
    names = itertools.count(1)

    def change(statement: ast.stmt) -> list[ast.stmt]:
        value = statement.value if isinstance(statement, (ast.Assign, ast.Return)) else None
        if not isinstance(value, ast.Call) or not is_movable(value):
            return [statement]
        method = value.func
        if not isinstance(method, ast.Attribute) or not isinstance(method.value, ast.Call):
            return [statement]
        before = mark(assigned(f"before_{next(names)}", method.value), statement)
        method.value = copy.copy(before.targets[0])
        method.value.ctx = ast.Load()  # type: ignore[attr-defined]
        return [*change(before), statement]

    return each_statement(tree, change)


def inlined(tree: ast.Module) -> ast.Module | None:
    """A variable that only the next statement reads is replaced by its value."""
    texts, found = in_texts(tree), False
    for block, scope in blocks(tree):
        for position in range(len(block) - 2, -1, -1):
            first, second = block[position : position + 2]
            if isinstance(scope, ast.FunctionDef) and _is_read_first(first, second, scope, texts):
                assert isinstance(first, ast.Assign)
                _put_first(second, first.value)
                block[position : position + 2] = [mark(second, first)]
                found = True
    return tree if found else None


def _is_read_first(first: ast.stmt, second: ast.stmt, scope: ast.FunctionDef, texts: set[str]) -> bool:
    """Whether what the first statement binds is what the second one begins with, and nothing else reads it."""
    if not isinstance(first, ast.Assign) or len(first.targets) != 1 or not is_movable(first.value):
        return False
    target, place = first.targets[0], _first_place(second)
    if not isinstance(target, ast.Name) or not isinstance(place, ast.Name) or place.id != target.id:
        return False
    places = [node for node in ast.walk(scope) if isinstance(node, ast.Name) and node.id == target.id]
    declared = any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(scope))
    return len(places) == 2 and not declared and target.id not in texts


def _first_place(statement: ast.stmt) -> ast.expr | None:
    """What is computed first: what is returned, the object of a method, or the first argument of a function."""
    value = statement.value if isinstance(statement, (ast.Assign, ast.Return)) else None
    if not isinstance(value, ast.Call):
        return value
    if isinstance(value.func, ast.Attribute) and not value.args:
        return value.func.value
    return value.args[0] if value.args and is_quiet(value.func) else None


def _put_first(statement: ast.stmt, value: ast.expr) -> None:
    """Put a value where `_first_place` is."""
    assert isinstance(statement, (ast.Assign, ast.Return))
    if not isinstance(statement.value, ast.Call):
        statement.value = value
    elif statement.value.args:
        statement.value.args[0] = value
    else:
        assert isinstance(statement.value.func, ast.Attribute)
        statement.value.func.value = value


class _Renamed(ast.NodeTransformer):
    """Variables get other names."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Each place of a name."""
        node.id = self.names.get(node.id, node.id)
        return node


def loops(tree: ast.Module) -> ast.Module | None:
    """Lists that are assigned or returned are filled by loops."""
    numbers = itertools.count(1)

    def change(statement: ast.stmt) -> list[ast.stmt]:
        value = statement.value if isinstance(statement, (ast.Assign, ast.Return)) else None
        if not isinstance(value, ast.ListComp) or len(value.generators) != 1 or not is_movable(value):
            return [statement]
        generator, number = value.generators[0], next(numbers)
        renamed = _Renamed({name: f"{name}_item_{number}" for name in stored(generator.target)})
        for part in (generator.target, value.elt, *generator.ifs):
            renamed.visit(part)
        items = f"items_{number}"
        fill = ast.Expr(ast.Call(ast.Attribute(load(items), "append", ast.Load()), [value.elt], []))
        body: list[ast.stmt] = [mark(fill, statement)]
        for condition in reversed(generator.ifs):
            body = [ast.If(condition, body, [])]
        loop = ast.For(generator.target, generator.iter, body, [], lineno=0)
        assert isinstance(statement, (ast.Assign, ast.Return))
        statement.value = load(items)
        return [assigned(items, ast.List([], ast.Load())), loop, statement]

    return each_statement(tree, change)


def helpers(tree: ast.Module) -> ast.Module | None:
    """What is assigned is computed by a function of its own, which is given all variables that it needs."""
    made: list[ast.stmt] = []
    known = _known(tree)

    def change(statement: ast.stmt) -> list[ast.stmt]:
        value = statement.value if isinstance(statement, ast.Assign) else None
        if not isinstance(value, (ast.Call, ast.BinOp, ast.Subscript)) or not is_movable(value):
            return [statement]
        name = f"compute_{len(made) + 1}"
        needed = sorted(used([ast.Expr(value)]) - known)
        made.append(function(name, needed, [mark(ast.Return(value), statement)]))
        assert isinstance(statement, ast.Assign)
        statement.value = called(name, *map(load, needed))
        return [statement]

    each_statement(tree, change)
    position = after_heads(tree)
    tree.body[position:position] = made
    return tree if made else None


def _known(tree: ast.Module) -> set[str]:
    """What every function can use as it is: functions, classes and imports of the module that nothing hides."""
    arguments = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    known = set(BUILTINS)
    for statement in tree.body:
        if isinstance(statement, IMPORTS):
            known |= {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
        elif isinstance(statement, DEFINITIONS):
            known.add(statement.name)
    inside = [node for statement in tree.body for node in ast.walk(statement) if node is not statement]
    local = {node.name for node in inside if isinstance(node, DEFINITIONS)}
    local |= {alias.asname or alias.name for node in inside if isinstance(node, IMPORTS) for alias in node.names}
    return known - set(stored(tree)) - arguments - local


def renamed(tree: ast.Module) -> ast.Module | None:
    """Variables have names that say nothing."""
    fixed = in_texts(tree) | BUILTINS | {"_"}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            fixed.add(node.arg)
        elif isinstance(node, (*DEFINITIONS, ast.alias, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
            fixed |= {node.name or "", getattr(node, "asname", None) or ""}
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            fixed |= set(node.names)
        if isinstance(node, ast.ClassDef):
            fixed |= {name for part in node.body if not isinstance(part, DEFINITIONS) for name in stored(part)}
    free = sorted({name for name in stored(tree) if not name.startswith("__")} - fixed)
    _Renamed({name: f"variable_{number}" for number, name in enumerate(free)}).visit(tree)
    return tree if free else None


class _Calls(ast.NodeTransformer):
    """Calls of some functions are changed; counts them."""

    def __init__(self) -> None:
        self.changed = 0

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Each call, after what it is given."""
        self.generic_visit(node)
        new = self.change(node, ast.unparse(node.func).rpartition(".")[2])
        self.changed += new is not None
        return new or node

    def change(self, node: ast.Call, name: str) -> ast.Call | None:
        """The call that comes instead, or None."""
        raise NotImplementedError

    def run(self, tree: ast.Module, helper: str) -> ast.Module | None:
        """The tree with its calls changed and the helper that they need."""
        self.visit(tree)
        return headed(tree, helper) if self.changed else None


class _Subsets(_Calls):
    def change(self, node: ast.Call, name: str) -> ast.Call | None:
        """A loader is given a part of its data."""
        if name != "DataLoader" or not node.args or isinstance(node.args[0], ast.Starred):
            return None
        return ast.Call(node.func, [called("whole_part_of", node.args[0]), *node.args[1:]], node.keywords)


_PART: Final = """
import torch.utils.data
def whole_part_of(data):
    if isinstance(data, torch.utils.data.IterableDataset) or not (
        hasattr(data, "__len__") and hasattr(data, "__getitem__")
    ):
        return data
    return torch.utils.data.Subset(data, list(range(len(data))))
"""


def subsets(tree: ast.Module) -> ast.Module | None:
    """Loaders load from a subset of the data that leaves nothing out."""
    if any(isinstance(node, ast.Attribute) and node.attr == "dataset" for node in ast.walk(tree)):
        return None
    return _Subsets().run(tree, _PART)


class _WrappedLosses(_Calls):
    def change(self, node: ast.Call, name: str) -> ast.Call | None:
        """A loss of two arguments is called by a function of the program."""
        is_loss = name in _LOSSES or name.endswith(("_loss", "_with_logits"))
        if not is_loss or len(node.args) != 2 or any(isinstance(argument, ast.Starred) for argument in node.args):
            return None
        return ast.Call(load("compute_the_loss"), [node.func, *node.args], node.keywords)


_COMPUTE: Final = """
def compute_the_loss(function, output, target, **settings):
    value = function(output, target, **settings)
    return value
"""


def wrapped(tree: ast.Module) -> ast.Module | None:
    """Losses are called by a function that is given the loss."""
    return _WrappedLosses().run(tree, _COMPUTE)


_LOGGED: Final = """
import functools
def logged_call(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        result = function(*args, **kwargs)
        return result
    return inner
"""


def decorated(tree: ast.Module) -> ast.Module | None:
    """Functions and methods have a decorator that only hands on."""
    found = False
    for statement in tree.body:
        for member in (statement, *(statement.body if isinstance(statement, ast.ClassDef) else ())):
            if isinstance(member, ast.FunctionDef) and _may_be_decorated(member):
                member.decorator_list = [load("logged_call")]
                found = True
    return headed(tree, _LOGGED) if found else None


def _may_be_decorated(member: ast.FunctionDef) -> bool:
    """Whether it is a plain function, no special method but that for items."""
    special = member.name.startswith("__") and member.name != "__getitem__"
    return (
        not member.decorator_list
        and not special
        and not any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(member))
    )


_EACH: Final = """
def each_batch_of(batches):
    for batch in batches:
        yield batch
"""


def generators(tree: ast.Module) -> ast.Module | None:
    """Loops over loaders are loops over a generator that hands their batches on."""
    found = False
    for node in ast.walk(tree):
        if not isinstance(node, ast.For):
            continue
        if is_loader(node.iter):
            node.iter, found = called("each_batch_of", node.iter), True
        elif isinstance(node.iter, ast.Call) and node.iter.args and ast.unparse(node.iter.func) == "enumerate":
            first = node.iter.args[0]
            if is_loader(first):
                node.iter.args[0], found = called("each_batch_of", first), True
    return headed(tree, _EACH) if found else None


def is_loader(value: ast.expr) -> bool:
    """Whether an expression is a loader, by its class or its name."""
    if isinstance(value, ast.Call):
        return ast.unparse(value.func).rpartition(".")[2] == "DataLoader"
    return isinstance(value, (ast.Name, ast.Attribute)) and "loader" in ast.unparse(value)


_PHASE: Final = """
warm_state = torch.get_rng_state()
warm_net = torch.nn.Linear(4, 4)
warm_rate = torch.optim.SGD(warm_net.parameters(), lr=0.01)
for warm_step in range(6):
    warm_noise = torch.rand(8, 4)
    warm_loss = torch.nn.functional.mse_loss(warm_net(warm_noise), warm_noise)
    warm_rate.zero_grad()
    warm_loss.backward()
    warm_rate.step()
torch.set_rng_state(warm_state)
"""


def phases_flat(tree: ast.Module) -> ast.Module:
    """Another network is trained before, in the statements of the module."""
    return headed(tree, f"import torch\n{_PHASE}")


def phases(tree: ast.Module) -> ast.Module:
    """Another network is trained before, in a function."""
    phase = function("warm_up", (), statements(f"{_PHASE}return warm_net"))
    return headed(tree, f"import torch\n{ast.unparse(phase)}\nwarm_net = warm_up()")
