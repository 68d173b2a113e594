"""What statements do to what is known: a function for each kind of node."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from lossguard.lint.arithmetic import combine, truth_of
from lossguard.lint.assigning import assign
from lossguard.lint.expressions import closure, read_attribute
from lossguard.lint.feeding import MOST_ITEMS
from lossguard.lint.interpreter import Exhausted, Interpreter, State
from lossguard.lint.joining import join, put_together
from lossguard.lint.library import iterated
from lossguard.lint.values import (
    Class,
    Const,
    Data,
    Function,
    Imported,
    Instance,
    Library,
    Module,
    Seq,
    Table,
    Unknown,
    Value,
    replace,
)

#: What code raises that is meant to be refused.
_REFUSALS: Final = frozenset({"RuntimeError", "TypeError", "ValueError", "IndexError", "Exception", "BaseException"})
#: How often the body of a loop is followed: as it is, with what both ends say, with dtypes alone, with nothing.
_ATTEMPTS: Final = 4
#: Methods that change a list, a set or a dict in place.
_GROWING: Final = frozenset(
    {"append", "add", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "discard"}
    | {"popitem", "setdefault"}
)
_EXPECTING: Final = frozenset({"raises", "assertRaises", "assertRaisesRegex", "assertRaisesRegexp", "suppress"})


def _expression(interpreter: Interpreter, node: ast.Expr) -> None:
    value = node.value
    result = interpreter.evaluate(value)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        owner = value.func.value
        if isinstance(owner, ast.Name | ast.Attribute) and (value.func.attr in _GROWING or value.func.attr[-1:] == "_"):
            _changed_in_place(interpreter, owner, value.func.attr, value, result)


def _changed_in_place(interpreter: Interpreter, place: ast.expr, method: str, call: ast.Call, result: Value) -> None:
    """`x.add_(1)`, `labels.append(y)`: what is known of the values of `x` changes."""
    owner = interpreter.evaluate(place)
    if isinstance(owner, Data) and not method.endswith("__") and method.endswith("_"):
        bare = Data(owner.kind, owner.dtype, owner.shape, owner.device, dtype_at=owner.dtype_at)
        told = result if isinstance(result, Data) and result.dtype == owner.dtype else bare
        kept = replace(bare, holds=told.holds, complete=told.complete, fractional=told.fractional)
        assign(interpreter, place, kept)
    elif isinstance(owner, Seq) and method in _GROWING:
        given = interpreter.evaluate(call.args[0]) if len(call.args) == 1 else Unknown()
        assign(interpreter, place, _grown(interpreter, owner, method, given))
    elif isinstance(owner, Table):
        given = interpreter.evaluate(call.args[0]) if len(call.args) == 1 and not call.keywords else Unknown()
        is_known = method == "update" and isinstance(given, Table)
        assign(interpreter, place, Table({**owner.items, **given.items}) if is_known else Unknown())  # type: ignore[attr-defined] # seen


def _grown(interpreter: Interpreter, owner: Seq, method: str, given: Value) -> Seq:
    """A list after `append` or `extend`; after anything else nothing is known of its items."""
    if method in {"append", "add"}:
        more = Seq(owner.kind, (given,))
    elif method == "extend":
        more = given if isinstance(given, Seq) else Seq(owner.kind, None, iterated(interpreter, given))
    else:
        return Seq(owner.kind)
    return put_together(owner, more)


def _assign(interpreter: Interpreter, node: ast.Assign) -> None:
    value = interpreter.evaluate(node.value)
    for target in node.targets:
        assign(interpreter, target, value)


def _annotated(interpreter: Interpreter, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(interpreter, node.target, interpreter.evaluate(node.value))


def _augmented(interpreter: Interpreter, node: ast.AugAssign) -> None:
    left = interpreter.evaluate(_as_read(node.target))
    right = interpreter.evaluate(node.value)
    stand_in = ast.copy_location(ast.BinOp(left=_as_read(node.target), op=node.op, right=node.value), node)
    value = combine(interpreter, stand_in, left, right)
    if isinstance(value, Data) and isinstance(left, Data):
        # In place, a tensor keeps its dtype.
        value = Data(value.kind, left.dtype, left.shape, value.device, dtype_at=left.dtype_at)
    assign(interpreter, node.target, value)


def _as_read(node: ast.expr) -> ast.expr:
    return node


def _if(interpreter: Interpreter, node: ast.If) -> None:
    truth = truth_of(interpreter.evaluate(node.test))
    if _is_main(node.test):
        truth = True
    if truth is not None:
        interpreter.execute(node.body if truth else node.orelse)
        return
    frame = interpreter.frame
    before = frame.state
    kept = _forget(before, node.test)
    then, other = before.copy(), before.copy()
    frame.undecided += 1
    frame.state = then
    interpreter.execute(node.body)
    frame.state = other
    interpreter.execute(node.orelse)
    frame.undecided -= 1
    if then.dead != other.dead:
        # What follows is reached under a condition, from here on.
        frame.undecided += 1
    frame.state = before
    before.become(interpreter.meet(then, other))
    _remember(before, kept)


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _forget(state: State, test: ast.expr) -> dict[str, tuple[Value, Value]]:
    """Take what is known of the names in a condition: in its branches more is known than we understand."""
    kept: dict[str, tuple[Value, Value]] = {}
    for name in names_in(test):
        value = state.names.get(name)
        if value is not None and not isinstance(value, Unknown | Library | Module | Class | Function | Instance):
            stand_in = Unknown(name)
            kept[name] = (value, stand_in)
            state.names[name] = stand_in
    return kept


@cache
def names_in(test: ast.expr) -> frozenset[str]:
    """The names in a condition, which is met again and again."""
    return frozenset(node.id for node in ast.walk(test) if isinstance(node, ast.Name)) - {"self"}


def _remember(state: State, kept: dict[str, tuple[Value, Value]]) -> None:
    for name, (value, stand_in) in kept.items():
        if state.names.get(name) is stand_in:
            state.names[name] = value


def _for(interpreter: Interpreter, node: ast.For | ast.AsyncFor) -> None:
    sequence = interpreter.evaluate(node.iter)
    if isinstance(sequence, Seq) and sequence.items and len(sequence.items) <= MOST_ITEMS and not _may_leave(node):
        for item in sequence.items:
            assign(interpreter, node.target, item)
            interpreter.execute(node.body)
        interpreter.execute(node.orelse)
        return
    element = iterated(interpreter, sequence)

    def once() -> None:
        assign(interpreter, node.target, element)
        interpreter.execute(node.body)

    _loop(interpreter, once)
    interpreter.execute(node.orelse)


@cache
def _may_leave(loop: ast.For | ast.AsyncFor) -> bool:
    """Whether the body of a loop may go on with another turn, or with none, before its end."""
    return any(isinstance(node, ast.Break | ast.Continue) for node in ast.walk(loop))


def _while(interpreter: Interpreter, node: ast.While) -> None:
    def once() -> None:
        interpreter.evaluate(node.test)
        interpreter.execute(node.body)

    _loop(interpreter, once)
    interpreter.execute(node.orelse)


def _loop(interpreter: Interpreter, once: Callable[[], None]) -> None:
    """Follow a body until what is known at its start changes no more; what does not settle is unknown."""
    frame = interpreter.frame
    undecided = frame.undecided
    for attempt in range(_ATTEMPTS):
        start, found, returns = frame.state.copy(), len(interpreter.found), len(frame.returns)
        outer, frame.exits = frame.exits, []
        once()
        end = frame.state
        for left in frame.exits:
            end.become(interpreter.meet(end, left))
        frame.exits = outer
        end.dead = False
        changed = _changes(start, end)
        if not changed:
            break
        settled = interpreter.meet(start, end)
        for key in changed if attempt else ():
            target: Any = settled.names if isinstance(key, str) else settled.heap
            value = target[key]
            weaker = Data(value.kind, value.dtype) if isinstance(value, Data) and attempt == 1 else None
            target[key] = weaker or Unknown(key if isinstance(key, str) else key[1])
        frame.state.become(settled)
        for owner in {key[0] for key in changed if not isinstance(key, str)}:
            interpreter.writes[owner] = interpreter.writes.get(owner, 0) + 1
        if attempt < _ATTEMPTS - 1:
            del interpreter.found[found:]
            del frame.returns[returns:]
    frame.undecided = undecided


def _changes(start: State, end: State) -> list[Any]:
    """The names and attributes that were known before and are something else after."""
    names = [name for name, value in start.names.items() if _differs(value, end.names.get(name))]
    heap = [key for key, value in start.heap.items() if _differs(value, end.heap.get(key))]
    return [*names, *heap]


def _differs(one: Value, other: Value | None) -> bool:
    if one is other or isinstance(one, Unknown):
        return False
    if isinstance(one, Data) and isinstance(other, Data):
        # More may be known after a turn than before it, but not less.
        return join(one, other) != one
    return other is None or isinstance(other, Unknown) or type(one) is not type(other) or not _same(one, other)


def _same(one: Value, other: Value) -> bool:
    return one == other


def _with(interpreter: Interpreter, node: ast.With | ast.AsyncWith) -> None:
    frame = interpreter.frame
    failing, forward = frame.expects_failure, frame.forward_only
    for item in node.items:
        value = interpreter.evaluate(item.context_expr)
        name = _callee(item.context_expr)
        frame.expects_failure = frame.expects_failure or name in _EXPECTING
        frame.forward_only = frame.forward_only or name in {"no_grad", "inference_mode"}
        if item.optional_vars is not None:
            unknown = Unknown() if not isinstance(value, Instance | Unknown) else value
            assign(interpreter, item.optional_vars, unknown)
    interpreter.execute(node.body)
    frame.expects_failure, frame.forward_only = failing, forward


def _callee(node: ast.expr) -> str:
    function = node.func if isinstance(node, ast.Call) else node
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _try(interpreter: Interpreter, node: ast.Try) -> None:
    frame = interpreter.frame
    failing, before = frame.expects_failure, frame.state.copy()
    frame.expects_failure = failing or any(_catches_refusals(handler) for handler in node.handlers)
    frame.undecided += 1 if node.handlers else 0
    interpreter.execute(node.body)
    frame.expects_failure = failing
    interpreter.execute(node.orelse)
    after = frame.state.copy()
    entry = interpreter.meet(before, after) if not after.dead else before
    for handler in node.handlers:
        frame.state.become(entry)
        if handler.name:
            frame.state.names[handler.name] = Unknown()
        interpreter.execute(handler.body)
        after = interpreter.meet(after, frame.state)
    frame.undecided -= 1 if node.handlers else 0
    frame.state.become(after)
    was_dead, frame.state.dead = frame.state.dead, False
    interpreter.execute(node.finalbody)
    frame.state.dead = frame.state.dead or was_dead


def _catches_refusals(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return any(
        isinstance(name, ast.Name | ast.Attribute)
        and (name.id if isinstance(name, ast.Name) else name.attr) in _REFUSALS
        for name in ast.walk(handler.type)
    )


def _return(interpreter: Interpreter, node: ast.Return) -> None:
    value = Const(None) if node.value is None else interpreter.evaluate(node.value)
    interpreter.frame.returns.append(value)
    interpreter.frame.state.dead = True


def _leave(interpreter: Interpreter, node: ast.Raise | ast.Break | ast.Continue) -> None:
    if isinstance(node, ast.Raise) and node.exc is not None:
        interpreter.evaluate(node.exc)
    frame = interpreter.frame
    if not isinstance(node, ast.Raise):
        frame.exits.append(frame.state.copy())
    frame.state.dead = True


def _define(interpreter: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    frame = interpreter.frame
    function = Function(node, frame.source, closure(interpreter), None, None)
    frame.state.names[node.name] = function
    if frame.state is not frame.source.state and not interpreter.calls:
        _follow_inner(interpreter, function)


def _follow_inner(interpreter: Interpreter, function: Function) -> None:
    """A function inside another is followed where it is made, with what it sees of the outer one."""
    steps, depth = interpreter.steps, interpreter.depth
    interpreter.run_function(function)
    interpreter.steps, interpreter.depth = steps, depth


def _class(interpreter: Interpreter, node: ast.ClassDef) -> None:
    frame = interpreter.frame
    bases = tuple(interpreter.evaluate(base) for base in node.bases)
    frame.state.names[node.name] = Class(node, frame.source, bases, closure(interpreter))


def _import(interpreter: Interpreter, node: ast.Import) -> None:
    frame = interpreter.frame
    for alias in node.names:
        first = alias.name.partition(".")[0]
        name = alias.name if alias.asname else first
        frame.state.names[alias.asname or first] = interpreter.project.imported(frame.source, name)


def _import_from(interpreter: Interpreter, node: ast.ImportFrom) -> None:
    frame = interpreter.frame
    module = interpreter.project.imported(frame.source, node.module or "", node.level)
    for alias in node.names:
        found: Value = Unknown(alias.name)
        if alias.name == "*":
            if isinstance(module, Module):
                names = interpreter.project.prepare(module.source).names
                frame.state.names.update({n: v for n, v in names.items() if not n.startswith("_")})
            continue
        if isinstance(module, Module):
            found = Imported(module, alias.name)
        elif isinstance(module, Library):
            found = read_attribute(interpreter, module, alias.name, ast.Name(id=alias.name))
        frame.state.names[alias.asname or alias.name] = found


def _assert(interpreter: Interpreter, node: ast.Assert) -> None:
    interpreter.evaluate(node.test)
    # What is asserted is true afterwards, in ways that we do not follow.
    _forget(interpreter.frame.state, node.test)


def _delete(interpreter: Interpreter, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            interpreter.frame.state.names.pop(target.id, None)


def _match(interpreter: Interpreter, node: ast.Match) -> None:
    interpreter.evaluate(node.subject)
    frame, before = interpreter.frame, interpreter.frame.state.copy()
    result = before.copy()
    frame.undecided += 1
    for case in node.cases:
        frame.state.become(before)
        for each in ast.walk(case.pattern):
            if isinstance(name := getattr(each, "name", None), str):
                frame.state.names[name] = Unknown(name)
        interpreter.execute(case.body)
        result = interpreter.meet(result, frame.state)
    frame.undecided -= 1
    frame.state.become(result)


def _global(interpreter: Interpreter, node: ast.Global | ast.Nonlocal) -> None:
    for name in node.names:
        interpreter.frame.state.names[name] = Unknown(name)


EXECUTIONS: Final[dict[type, Callable[[Interpreter, Any], None]]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Return: _return,
    ast.Raise: _leave,
    ast.Break: _leave,
    ast.Continue: _leave,
    ast.FunctionDef: _define,
    ast.AsyncFunctionDef: _define,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.Match: _match,
    ast.Global: _global,
    ast.Nonlocal: _global,
}

__all__ = ["EXECUTIONS", "Exhausted"]
