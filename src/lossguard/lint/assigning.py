"""What an assignment changes: names, attributes, items and the parts of tuples."""

from __future__ import annotations

import ast

from lossguard.lint.interpreter import Interpreter
from lossguard.lint.values import Const, Data, Instance, Loader, Seq, Table, Unknown, Value, replace, size_of_unknown


def assign(interpreter: Interpreter, target: ast.expr, value: Value) -> None:
    """Give a value to a name, an attribute, or the parts of a tuple."""
    if isinstance(target, ast.Name):
        interpreter.frame.state.names[target.id] = value
    elif isinstance(target, ast.Starred):
        assign(interpreter, target.value, Seq("list"))
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(interpreter, target, value)
    elif isinstance(target, ast.Attribute):
        owner = interpreter.evaluate(target.value)
        if isinstance(owner, Instance):
            kept = Unknown(target.attr) if value == Const(None) else value
            interpreter.frame.state.heap[owner, target.attr] = kept
    elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        _overwrite(interpreter, target, value)


def _overwrite(interpreter: Interpreter, target: ast.Subscript, value: Value) -> None:
    """An item is replaced: what was known of the values is known no longer; dtype and shape stay."""
    assert isinstance(target.value, ast.Name)  # noqa: S101 - the caller has looked
    names, name = interpreter.frame.state.names, target.value.id
    owner = interpreter.evaluate(target.value)
    if isinstance(owner, Data):
        is_frame = owner.kind == "frame"
        bare = replace(owner, maker=None, items=None, holds=(), complete=False, one_hot=False, fractional=None)
        names[name] = owner if is_frame else bare
    elif isinstance(owner, Table):
        key = interpreter.evaluate(target.slice)
        known = isinstance(key, Const) and isinstance(key.value, str | int)
        names[name] = Table({**owner.items, key.value: value}) if known and isinstance(key, Const) else Unknown(name)
    elif isinstance(owner, Seq):
        names[name] = Seq(owner.kind)


def _unpack(interpreter: Interpreter, target: ast.Tuple | ast.List, value: Value) -> None:
    places = target.elts
    stars = sum(isinstance(place, ast.Starred) for place in places)
    if isinstance(value, Seq) and value.items is not None and len(value.items) == len(places) and not stars:
        for place, item in zip(places, value.items, strict=True):
            assign(interpreter, place, item)
        return
    element: Value | None = None
    if (isinstance(value, Seq) and value.items is None) or isinstance(value, Loader):
        element = value.element
    for number, place in enumerate(places):
        whole = isinstance(value, Unknown) and value.name == "shape" and not stars
        part = value.part(number) if isinstance(value, Unknown) and not whole and not stars else Unknown()
        found = size_of_unknown(value, number) if whole and isinstance(value, Unknown) else element or part
        assign(interpreter, place, found)
