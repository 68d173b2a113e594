"""Which expression of a call became which parameter, and which call of a statement was which."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable
from typing import Any, Final

#: Functions that are called by the name of the object they belong to.
_BY_OBJECT: Final = frozenset({"__init__", "__call__", "forward", "__new__"})


def called_name(node: ast.Call) -> str:
    """The last word of what is called."""
    match node.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case ast.Lambda():
            return "<lambda>"
    return ""


def bound(
    call: ast.Call, code: types.CodeType, *, method: bool | None = None, receiver: ast.expr | None = None
) -> dict[str, ast.expr]:
    """The expressions of a call by the names of the parameters they go to.

    Those of `*args` come as a tuple, of `**words` as a dict. What `**entries` gives goes to all parameters that are
    given nothing else.

    `receiver` is what a method belongs to, for one that is not written with a `self` of its own, as by a decorator.
    """
    names = list(code.co_varnames[: code.co_argcount])
    given = list(call.args)
    if method is None:
        method = names[:1] in (["self"], ["cls"]) and not _gives_self(call, code)
    if method:
        names = names[1:]
    elif receiver is not None and names[:1] not in (["self"], ["cls"]):
        given = [receiver, *given]
    found: dict[str, ast.expr] = {}
    for name, node in zip(names, _spread(given, len(names)), strict=False):
        if isinstance(node, ast.Starred):
            break
        found[name] = node
    entries = [word.value for word in call.keywords if word.arg is None]
    # Of several such, one has it.
    spread = entries[0] if len(entries) == 1 else ast.copy_location(ast.Dict([None] * len(entries), entries), call)
    for name in [*names, *code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]] if entries else ():
        found.setdefault(name, ast.copy_location(ast.Subscript(spread, ast.Constant(name), ast.Load()), call))
    found.update({word.arg: word.value for word in call.keywords if word.arg is not None})
    place = code.co_argcount + code.co_kwonlyargcount
    own = code.co_varnames[:place]
    if code.co_flags & inspect.CO_VARARGS:
        found[code.co_varnames[place]] = ast.copy_location(ast.Tuple(given[len(names) :], ast.Load()), call)
        place += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        words = [word for word in call.keywords if word.arg not in own]
        keys: list[ast.expr | None] = [None if word.arg is None else ast.Constant(word.arg) for word in words]
        found[code.co_varnames[place]] = ast.copy_location(ast.Dict(keys, [word.value for word in words]), call)
    return found


def receiver_of(call: ast.Call, evaluate: Callable[[ast.expr], Any]) -> ast.expr | None:
    """The object whose method is called, or that is called itself, if a function of its class runs; else None."""
    called = type(evaluate(call.func))
    if isinstance(getattr(called, "forward", None) or vars(called).get("__call__"), types.FunctionType):
        return call.func
    owner = evaluate(call.func.value) if isinstance(call.func, ast.Attribute) else None
    if not isinstance(call.func, ast.Attribute) or isinstance(owner, types.ModuleType | type):
        return None
    kept = call.func.attr in getattr(owner, "__dict__", {})
    found = None if kept else inspect.getattr_static(type(owner), call.func.attr, None)
    return call.func.value if isinstance(found, types.FunctionType) else None


def _gives_self(call: ast.Call, code: types.CodeType) -> bool:
    """Whether a method is called as a plain function, with its object among the arguments: `step(self, batch)`."""
    first = call.args[0] if call.args else None
    if isinstance(call.func, ast.Attribute):
        by_class = isinstance(call.func.value, ast.Name) and call.func.value.id[:1].isupper()
        return by_class and isinstance(first, ast.Name) and first.id in {"self", "cls"}
    if code.co_name in _BY_OBJECT:
        return False
    return isinstance(first, ast.Starred) or (isinstance(first, ast.Name) and first.id in {"self", "cls"})


def _spread(written: list[ast.expr], many: int) -> list[ast.expr]:
    """Arguments, of which one `*items` is written out item by item, as many as there are parameters left for it."""
    starred = [node for node in written if isinstance(node, ast.Starred)]
    if len(starred) != 1:
        return written
    place = written.index(starred[0])
    items = [
        ast.copy_location(ast.Subscript(starred[0].value, ast.Constant(number), ast.Load()), starred[0])
        for number in range(many - len(written) + 1)
    ]
    return [*written[:place], *items, *written[place + 1 :]]
