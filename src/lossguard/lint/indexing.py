"""What `x[...]` gives: parts of tensors and arrays, by numbers, slices, masks and other indices."""

from __future__ import annotations

import ast
from typing import Any

from lossguard.facts.facts import Maker
from lossguard.lint.frames import column, located
from lossguard.lint.interpreter import Interpreter
from lossguard.lint.shaping import new
from lossguard.lint.values import Const, Data, Number, Shape, Size, Spot, Symbol, Unknown, Value, Whole, replace
from lossguard.lint.valuing import with_items


def index_data(interpreter: Interpreter, data: Data, node: ast.Subscript) -> Value:
    """What `x[...]` is: a column of a table, or a part of a tensor."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if data.kind in {"frame", "series"}:
        keys = [Unknown() if isinstance(part, ast.Slice) else interpreter.evaluate(part) for part in parts]
        if data.kind == "frame" and not isinstance(node.slice, ast.Slice | ast.Tuple):
            return column(data, keys[0])
        plain = len(keys) == 1 and (isinstance(keys[0], Number | Const) or isinstance(parts[0], ast.Slice))
        return located(data, keys, parts) if plain else Unknown()
    taken = _taken(interpreter, data, parts)
    if isinstance(taken, Value):
        return taken
    kept, axis, varies = taken
    is_slice = len(parts) == 1 and isinstance(parts[0], ast.Slice)
    part = _part_of(data, kept, interpreter.frame.spot(node), is_slice=is_slice)
    if data.items is None and (data.complete or varies):
        # What is among all the values is among those that are taken in turn.
        part = replace(part, holds=data.holds, complete=data.complete)
    if data.items is not None and (items := _items_at(data.items, parts)) is not None:
        return with_items(part, items)
    inner = bool(kept and data.shape) and kept is not None and data.shape is not None and kept[-1] == data.shape[-1]
    return replace(part, row_sum=data.row_sum, one_hot=data.one_hot) if inner and axis <= 1 else part


def _taken(interpreter: Interpreter, data: Data, parts: list[ast.expr]) -> Value | tuple[Shape | None, int, bool]:
    """The shape that an index leaves, how many axes it goes through, and whether it differs from turn to turn."""
    sizes, axis, shape, varies = list[Size](), 0, data.shape, False
    for part in parts:
        if isinstance(part, ast.Slice):
            for end in filter(None, (part.lower, part.upper, part.step)):
                varies = not isinstance(interpreter.evaluate(end), Const) or varies
            whole = not (part.lower or part.upper or part.step)
            varies = varies or not (part.lower or part.upper)
            size = shape[axis] if shape is not None and axis < len(shape) else new()
            sizes.append(size if whole else Symbol("n", plural=_is_many(size)))
            axis += 1
            continue
        value = interpreter.evaluate(part)
        if value == Const(None):
            sizes.append(1)
        elif isinstance(value, Whole) or (isinstance(value, Const) and type(value.value) is int):
            axis += 1
            varies = varies or not isinstance(value, Const)
        elif value == Const(...) and shape is not None:
            rest = len(shape) - axis - sum(not _adds_axis(other) for other in parts[parts.index(part) + 1 :])
            sizes.extend(shape[axis : axis + rest])
            axis += max(rest, 0)
        else:
            return _picked(data, value, first_only=len(parts) == 1)
    return (None if shape is None or axis > len(shape) else (*sizes, *shape[axis:])), axis, varies


def _items_at(items: Any, parts: list[ast.expr]) -> Any:
    """The numbers that a whole axis or one place of it holds; None if the index is anything else."""
    if not parts:
        return items
    first, rest = parts[0], parts[1:]
    if isinstance(first, ast.Slice) and not (first.lower or first.upper or first.step) and isinstance(items, list):
        found = [_items_at(item, rest) for item in items]
        return None if None in found else found
    place = first.operand if isinstance(first, ast.UnaryOp) and isinstance(first.op, ast.USub) else first
    if isinstance(place, ast.Constant) and type(place.value) is int and isinstance(items, list):
        number = place.value if place is first else -place.value
        return _items_at(items[number], rest) if -len(items) <= number < len(items) else None
    return None


def _adds_axis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _part_of(data: Data, shape: Shape | None, spot: Spot, *, is_slice: bool) -> Data:
    """Some rows or entries of data: rows of a distribution stay one, single entries of it do not."""
    is_rows = data.maker in {Maker.SOFTMAX, Maker.LOG_SOFTMAX}
    return replace(
        data,
        shape=shape,
        maker=None if is_rows and not is_slice else data.maker,
        axis=None,
        items=None,
        holds=(),
        complete=False,
        fractional=False if data.fractional is False else None,
        one_hot=False,
        row_sum=None,
        missing=False,
        outputs_last=data.outputs_last and is_slice,
        shape_at=spot,
    )


def _is_many(size: Size) -> bool:
    return isinstance(size, Symbol) and size.plural


def _picked(data: Data, index: Value, *, first_only: bool) -> Value:
    """What an index of numbers or a mask gives: entries of the same dtype."""
    shape: Shape | None = None
    if first_only and isinstance(index, Data) and data.shape and index.shape is not None:
        if index.dtype == "bool":
            shape = (Symbol("n"), *data.shape[len(index.shape) :])
        elif index.dtype is not None:
            shape = (*index.shape, *data.shape[1:])
    bare = Data(kind=data.kind, dtype=data.dtype, shape=shape, device=data.device, dtype_at=data.dtype_at)
    if isinstance(index, Data) and index.dtype != "bool" and first_only:
        inner = data.shape is not None and len(data.shape) > 1
        bare = replace(bare, row_sum=data.row_sum if inner else None, one_hot=data.one_hot and inner)
    return (
        replace(bare, maker=data.maker, maker_at=data.maker_at) if data.maker is Maker.LINEAR and first_only else bare
    )
