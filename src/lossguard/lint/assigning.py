"""What an assignment changes: names, attributes, items and the parts of tuples."""

from __future__ import annotations

import ast
from math import isfinite

from lossguard.lint.frames import with_column
from lossguard.lint.interpreter import Interpreter
from lossguard.lint.values import (
    Const,
    Data,
    Instance,
    Loader,
    Seq,
    Table,
    Truth,
    Unknown,
    Value,
    Whole,
    number_kind,
    numbers_of,
    replace,
    size_of_unknown,
)
from lossguard.lint.valuing import recast_numbers


def assign(interpreter: Interpreter, target: ast.expr, value: Value) -> None:
    """Give a value to a name, an attribute, or the parts of a tuple."""
    if isinstance(target, ast.Name):
        interpreter.frame.state.names[target.id] = value
        if interpreter.frame is interpreter.frames[0]:
            interpreter.frame.source.changes += 1
    elif isinstance(target, ast.Starred):
        assign(interpreter, target.value, Seq("list"))
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(interpreter, target, value)
    elif isinstance(target, ast.Attribute):
        owner = interpreter.evaluate(target.value)
        if isinstance(owner, Instance):
            kept = Unknown(target.attr) if value == Const(None) else value
            interpreter.frame.state.heap[owner, target.attr] = kept
            interpreter.writes[owner] = interpreter.writes.get(owner, 0) + 1
    elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name | ast.Attribute):
        _overwrite(interpreter, target, value)


def _overwrite(interpreter: Interpreter, target: ast.Subscript, value: Value) -> None:
    """An item is replaced: what was known of the values is known no longer; dtype and shape stay."""
    owner = interpreter.evaluate(target.value)
    changed: Value | None = None
    if isinstance(owner, Data) and owner.kind == "frame":
        changed = with_column(owner, interpreter.evaluate(target.slice), value, interpreter.frame.spot(target))
    elif isinstance(owner, Data):
        changed = _written(owner, value)
    elif isinstance(owner, Table):
        key = interpreter.evaluate(target.slice)
        known = isinstance(key, Const) and isinstance(key.value, str | int)
        changed = Table({**owner.items, key.value: value}) if known and isinstance(key, Const) else Unknown()
    elif isinstance(owner, Seq):
        changed = Seq(owner.kind)
    if changed is not None:
        assign(interpreter, target.value, changed)


def _written(owner: Data, value: Value) -> Data:
    """Data of which some entries were replaced: what is written is among the values."""
    number = numbers_of(value) if number_kind(value) is not None else ()
    finite = tuple(each for each in number if isfinite(each))
    whole = owner.fractional is False and (
        is_whole_number(value) or (isinstance(value, Data) and value.fractional is False)
    )
    bare = replace(owner, maker=None, items=None, complete=False, one_hot=False, row_sum=None)
    written = replace(bare, holds=finite, fractional=False if whole else None)
    return recast_numbers(replace(written, missing=owner.missing or any(each != each for each in number)))  # noqa: PLR0124 - NaN


def is_whole_number(value: Value) -> bool:
    """Whether this is a whole number of Python."""
    return number_kind(value) in {Whole, Truth}


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
