"""What operators give: arithmetic, comparisons and truth, of plain numbers and of data."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from lossguard.facts.facts import Maker
from lossguard.lint.effects import promoted, with_items
from lossguard.lint.interpreter import Interpreter
from lossguard.lint.joining import element_of, put_together, together
from lossguard.lint.values import (
    Class,
    Const,
    Data,
    DType,
    Fraction,
    Function,
    Instance,
    Module,
    Number,
    Seq,
    Table,
    Truth,
    Unknown,
    Value,
    Whole,
    broadcast_shapes,
    number_kind,
    replace,
)

_ARITHMETIC: Final[Mapping[type, Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARISONS: Final[Mapping[type, Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: lambda a, b: a is b or a == b,
    ast.IsNot: lambda a, b: not (a is b or a == b),
}
_LARGEST: Final = 1 << 62
_MOST_ITEMS: Final = 1000
_TRUTH: Final = (0, 1)
#: What gives whole numbers if it is given whole numbers.
_WHOLE: Final = frozenset({ast.Add, ast.Sub, ast.Mult, ast.Mod, ast.FloorDiv})


def binary(interpreter: Interpreter, node: ast.BinOp) -> Value:
    """A binary operator."""
    left, right = interpreter.evaluate(node.left), interpreter.evaluate(node.right)
    return combine(interpreter, node, left, right)


def combine(interpreter: Interpreter, node: ast.expr, left: Value, right: Value) -> Value:
    """What arithmetic gives; `node` is a BinOp or stands for one."""
    kind = type(getattr(node, "op", None))
    if isinstance(left, Const) and isinstance(right, Const):
        return _folded(kind, left, right)
    if kind is ast.Add and isinstance(left, Seq) and isinstance(right, Seq) and left.kind == right.kind:
        return put_together(left, right)
    if isinstance(left, Data) or isinstance(right, Data):
        return _data_arithmetic(interpreter, node, left, right)
    if (number := _number(kind, left, right)) is not None:
        return number
    if kind is ast.Mult and isinstance(left, Seq) and left.items:
        return _many_times(left, right)
    return Unknown()


def _many_times(sequence: Seq, number: Value) -> Value:
    """`[0] * n`: as many items, or what each of them is."""
    many = number.value if isinstance(number, Const) else None
    if type(many) is int and sequence.items is not None and many * len(sequence.items) < _MOST_ITEMS:
        return Seq(sequence.kind, sequence.items * many)
    return Seq(sequence.kind, None, element_of(sequence)) if number_kind(number) is Whole else Unknown()


def _number(kind: type, left: Value, right: Value) -> Number | None:
    """Arithmetic of Python's numbers, of which one at least is not known."""
    kinds = number_kind(left), number_kind(right)
    if None in kinds or kind not in _ARITHMETIC:
        return None
    if kind is ast.Pow and not (isinstance(right, Const) and right.value >= 0):
        return None
    floating = kind is ast.Div or Fraction in kinds
    data, number = (left, right) if isinstance(left, Number) else (right, left)
    if isinstance(data, Number) and isinstance(number, Const):
        moved = _moved_ends(kind, data.holds, number.value, is_left=data is left, complete=data.complete)
        if moved is not None:
            return (Fraction if floating else Whole)(holds=moved, complete=data.complete)
    return Fraction() if floating else Whole()


def _moved_ends(
    kind: type, holds: tuple[Any, ...], number: Any, *, is_left: bool, complete: bool
) -> tuple[Any, ...] | None:
    """The ends of a range of numbers after arithmetic with a number; None where that is not sure."""
    if not holds:
        return None
    if kind is ast.Mod:
        # All numbers in between are taken to be there, as `arange`, `randint` and an index have them.
        known = is_left and complete and isinstance(number, int) and number > 0
        whole = all(isinstance(held, int) for held in holds)
        return (0, number - 1) if known and whole and max(holds) - min(holds) >= number - 1 else None
    if kind in {ast.FloorDiv, ast.Pow} and not (is_left and min(holds) >= 0):
        return None
    try:
        moved = {_ARITHMETIC[kind](*_in_order(held, number, is_left=is_left)) for held in holds}
    except (ArithmeticError, TypeError, ValueError):
        return None
    if not all(isinstance(each, int | float) and abs(each) < _LARGEST for each in moved):
        return None
    return tuple(sorted(moved))


def _folded(kind: type, left: Const, right: Const) -> Value:
    function = _ARITHMETIC.get(kind)
    numbers = isinstance(left.value, int | float) and isinstance(right.value, int | float)
    if function is None or not numbers or (kind is ast.Pow and not abs(right.value) < 64):
        return Unknown()
    try:
        result = function(left.value, right.value)
    except (ArithmeticError, ValueError):
        return Unknown()
    if not isinstance(result, int | float):
        return Unknown()
    return Const(result) if abs(result) < _LARGEST or result != result else Unknown()  # noqa: PLR0124 - NaN


def _data_arithmetic(interpreter: Interpreter, node: ast.expr, left: Value, right: Value) -> Value:
    kind = type(getattr(node, "op", None))
    data = next(value for value in (left, right) if isinstance(value, Data))
    if kind is ast.MatMult:
        return Data(kind=data.kind, dtype=data.dtype if promoted([left, right], None) else None)
    operands = [left, right]
    dtype = promoted(operands, interpreter.effects.default_float)
    spot = interpreter.frame.spot(node)
    if kind is ast.Div and dtype is not None and not dtype.startswith(("float", "bfloat", "complex")):
        dtype = "float64" if data.kind in {"array", "series", "frame"} else interpreter.effects.default_float
    kinds = {value.kind for value in operands if isinstance(value, Data)}
    unknown_side = any(isinstance(value, Unknown) and not isinstance(value, Whole) for value in operands)
    shapes = [value.shape for value in operands if isinstance(value, Data)]
    shape = None if unknown_side else broadcast_shapes(shapes)
    devices = {value.device for value in operands if isinstance(value, Data)}
    result = Data(
        kind=kinds.pop() if len(kinds) == 1 and not unknown_side else "tensor" if "tensor" in kinds else None,
        dtype=dtype,
        shape=shape,
        device=devices.pop() if len(devices) == 1 and not unknown_side else None,
        dtype_at=data.dtype_at if dtype == data.dtype else spot,
        shape_at=data.shape_at if shape == data.shape else spot,
    )
    if _scales(kind, data, left, right):
        result = replace(result, maker=data.maker, maker_at=data.maker_at, outputs_last=data.outputs_last)
    return _shifted(result, data, kind, left, right)


def _scales(kind: type, data: Data, left: Value, right: Value) -> bool:
    """Whether scores are only divided or multiplied by a number, as by a temperature."""
    number = right if data is left else left
    fits = kind is ast.Mult or (kind is ast.Div and data is left)
    return fits and data.maker is Maker.LINEAR and number_kind(number) is not None and number != Const(0)


def _shifted(result: Data, data: Data, kind: type, left: Value, right: Value) -> Data:
    """The values after arithmetic with a number, where the values before are known."""
    function = _ARITHMETIC.get(kind)
    number = right if data is left else left
    result = replace(result, row_sum=_row_sum(kind, left, right), missing=_is_missing(left, right))
    if function is None or not isinstance(number, Const) or not isinstance(number.value, int | float):
        return result
    whole = data.fractional is False and isinstance(number.value, int) and kind in _WHOLE
    result = replace(result, fractional=False if whole else None)
    if data.items is not None:
        try:
            flat = _mapped(data.items, lambda item: function(*_in_order(item, number.value, is_left=data is left)))
            return with_items(result, flat)
        except (ArithmeticError, TypeError, ValueError):
            return result
    moved = _moved_ends(kind, data.holds, number.value, is_left=data is left, complete=data.complete)
    return result if moved is None else replace(result, holds=moved, complete=data.complete)


def _is_missing(*operands: Value) -> bool:
    return any(isinstance(value, Data) and value.missing for value in operands)


def _row_sum(kind: type, left: Value, right: Value) -> float | None:
    """What each row sums to after arithmetic: of two tables, or of a table and one number."""
    if isinstance(left, Data) and isinstance(right, Data):
        same = left.row_sum is not None and right.row_sum is not None and left.shape == right.shape
        if not same or kind not in {ast.Add, ast.Sub}:
            return None
        return float(_ARITHMETIC[kind](left.row_sum, right.row_sum))
    data, number = (left, right) if isinstance(left, Data) else (right, left)
    if not isinstance(data, Data) or data.row_sum is None or not isinstance(number, Const) or not data.shape:
        return None
    size, value = data.shape[-1], number.value
    if not isinstance(value, int | float):
        return None
    if kind is ast.Mult:
        return data.row_sum * value
    if kind is ast.Div and data is left and value:
        return data.row_sum / value
    if kind is ast.Add and isinstance(size, int):
        return data.row_sum + size * value
    return data.row_sum - size * value if kind is ast.Sub and data is left and isinstance(size, int) else None


def _in_order(held: Any, number: Any, *, is_left: bool) -> tuple[Any, Any]:
    return (held, number) if is_left else (number, held)


def _mapped(items: Any, function: Callable[[Any], Any]) -> Any:
    return [_mapped(item, function) for item in items] if isinstance(items, list) else function(items)


def unary(interpreter: Interpreter, node: ast.UnaryOp) -> Value:
    """A sign, `~` or `not`."""
    value = interpreter.evaluate(node.operand)
    if isinstance(node.op, ast.Not):
        truth = truth_of(value)
        return Unknown() if truth is None else Const(not truth)
    if isinstance(value, Const) and isinstance(value.value, int | float):
        if isinstance(node.op, ast.USub):
            return Const(-value.value)
        return value if isinstance(node.op, ast.UAdd) else Unknown()
    if isinstance(value, Data):
        bare = replace(value, maker=None, holds=(), complete=False, items=None, one_hot=False)
        return (
            bare
            if not isinstance(node.op, ast.Invert) or value.dtype != "bool"
            else replace(bare, holds=(0, 1), complete=True)
        )
    return Unknown()


def truth_of(value: Value) -> bool | None:
    """Whether a condition holds; None if that is not known."""
    if isinstance(value, Const):
        return None if isinstance(value.value, DType) else bool(value.value)
    if isinstance(value, Seq) and value.items is not None and value.kind == "tuple":
        return bool(value.items)
    if isinstance(value, Function | Class | Instance | Module):
        return True
    return None


def compare(interpreter: Interpreter, node: ast.Compare) -> Value:
    """A comparison: of data, an array of truth values."""
    left = interpreter.evaluate(node.left)
    rights = [interpreter.evaluate(right) for right in node.comparators]
    if len(rights) != 1:
        return Unknown()
    right, kind = rights[0], type(node.ops[0])
    if isinstance(left, Data) or isinstance(right, Data):
        if kind in {ast.Is, ast.IsNot} and Const(None) in (left, right):
            return Const(kind is ast.IsNot)
        if kind in {ast.In, ast.NotIn, ast.Is, ast.IsNot}:
            return Unknown()
        return _truth_values(left, right, interpreter, node)
    numbers = number_kind(left) is not None and number_kind(right) is not None
    if numbers and kind in _COMPARISONS and not (isinstance(left, Const) and isinstance(right, Const)):
        return Truth(holds=_TRUTH, complete=True)
    if isinstance(left, Const) and isinstance(right, Const) and kind in _COMPARISONS:
        try:
            return Const(bool(_COMPARISONS[kind](left.value, right.value)))
        except TypeError:
            return Unknown()
    known = isinstance(left, Seq | Instance | Function | Class | Table)
    if kind in {ast.Is, ast.IsNot} and right == Const(None) and known:
        return Const(kind is ast.IsNot)
    return Unknown()


def _truth_values(left: Value, right: Value, interpreter: Interpreter, node: ast.expr) -> Value:
    data = left if isinstance(left, Data) else right
    if not isinstance(data, Data):
        return Unknown()
    known = all(
        isinstance(value, Data) or (isinstance(value, Const) and value.value is not None) for value in (left, right)
    )
    shape = broadcast_shapes(value.shape for value in (left, right) if isinstance(value, Data)) if known else None
    kind = data.kind if known else None
    spot = interpreter.frame.spot(node)
    made = Data(kind=kind, dtype="bool", shape=shape, device=data.device, holds=(0, 1), complete=True, fractional=False)
    return replace(made, dtype_at=spot, shape_at=data.shape_at)


def boolean(interpreter: Interpreter, node: ast.BoolOp) -> Value:
    """`and` and `or`."""
    result: Value | None = None
    for each in node.values:
        value = interpreter.evaluate(each)
        truth = truth_of(value)
        if truth is (not isinstance(node.op, ast.And)):
            return value if result is None else Unknown()
        result = value if truth is not None and result is None else Unknown() if truth is None else result
    return result if isinstance(result, Const) else Unknown()


def conditional(interpreter: Interpreter, node: ast.IfExp) -> Value:
    """`a if test else b`: what both say, unless the test is decided."""
    test = interpreter.evaluate(node.test)
    # A program that asks for a device is written for machines that have it.
    truth = True if isinstance(test, Truth) and test.name == "is_available" else truth_of(test)
    if truth is not None:
        return interpreter.evaluate(node.body if truth else node.orelse)
    interpreter.frame.undecided += 1
    found = together(interpreter.evaluate(node.body), interpreter.evaluate(node.orelse))
    interpreter.frame.undecided -= 1
    return found
