"""What expressions are known to be: a function for each kind of node."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from lossguard.lint.effects import attribute, flatten, promoted, with_items
from lossguard.lint.interpreter import Interpreter, decorators
from lossguard.lint.library import call_value, index_data, iterated
from lossguard.lint.shaping import literal
from lossguard.lint.values import (
    Bound,
    Class,
    Const,
    Data,
    DType,
    Function,
    Imported,
    Instance,
    Library,
    Loader,
    Module,
    Seq,
    Table,
    Unknown,
    Value,
    Whole,
    broadcast_shapes,
    join,
    replace,
    size_of_unknown,
)

_BUILTINS: Final = frozenset(dir(builtins))
_DTYPES: Final = {
    **{name: name for name in ("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "bool")},
    **{name: name for name in ("int8", "uint8", "int16", "int32", "int64", "uint16", "uint32", "uint64")},
    "half": "float16",
    "double": "float64",
    "long": "int64",
    "short": "int16",
}
_OF_TORCH: Final = {"float": "float32", "int": "int32"}
_OF_NUMPY: Final = {"float_": "float64", "int_": "int64", "bool_": "bool", "single": "float32"}
_ARITHMETIC: Final[Mapping[type, Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
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


def _constant(_interpreter: Interpreter, node: ast.Constant) -> Value:
    return Const(node.value)


def _name(interpreter: Interpreter, node: ast.Name) -> Value:
    value: Value = lookup(interpreter, node.id)
    while isinstance(value, Imported):
        value = interpreter.project.member(value.module, value.name)
    return value


def lookup(interpreter: Interpreter, name: str) -> Value:
    """What a name stands for in the function at work, in those around it, in the module, or in Python."""
    frame = interpreter.frame
    if name in frame.state.names:
        return frame.state.names[name]
    scope = frame.scope
    while scope is not None:
        if name in scope.names:
            found: Value = scope.names[name]
            return found
        scope = scope.parent
    source = frame.source
    if frame.state is not source.state and name in source.state.names:
        value = source.state.names[name]
        fixed = isinstance(value, Class | Library | Module | Function | Imported) or source.is_settled(name)
        return value if fixed else Unknown(name)
    if name in _BUILTINS:
        return Library(f"builtins.{name}")
    return Unknown(name)


def _attribute(interpreter: Interpreter, node: ast.Attribute) -> Value:
    return read_attribute(interpreter, interpreter.evaluate(node.value), node.attr, node)


def read_attribute(interpreter: Interpreter, value: Value, name: str, node: ast.expr) -> Value:
    """An attribute of a value."""
    if isinstance(value, Library):
        return _of_library(value, name)
    if isinstance(value, Data):
        return _of_data(interpreter, value, name, node)
    if isinstance(value, Instance):
        return _of_instance(interpreter, value, name)
    if isinstance(value, Module):
        found: Value = interpreter.project.member(value, name)
        return found
    if isinstance(value, Class):
        method = next((each for each in value.lineage() if name in each.methods), None)
        return (
            Unknown() if method is None else Function(method.methods[name], method.module, method.scope, None, method)
        )
    if isinstance(value, Unknown):
        return value.part(name) if name in {"shape", "device"} else Bound(value, name)
    if isinstance(value, Seq | Table | Loader | Bound | Const):
        return Bound(value, name)
    return Unknown(name)


def _of_library(value: Library, name: str) -> Value:
    home = value.name.partition(".")[0]
    if value.name == "torch" and (dtype := _OF_TORCH.get(name) or _DTYPES.get(name)):
        return Const(DType(dtype))
    if value.name == "numpy" and (dtype := _OF_NUMPY.get(name) or _DTYPES.get(name)):
        return Const(DType(dtype))
    if home in {"numpy", "math"} and name in {"nan", "NaN", "inf", "pi"}:
        return Const({"nan": float("nan"), "NaN": float("nan"), "inf": float("inf"), "pi": 3.141592653589793}[name])
    return Library(f"{value.name}.{name}")


def _of_data(interpreter: Interpreter, data: Data, name: str, node: ast.expr) -> Value:
    if name == "shape":
        return Unknown("shape") if data.shape is None else Seq("tuple", tuple(map(Whole.of, data.shape)))
    if name == "dtype":
        return Unknown() if data.dtype is None else Const(DType(data.dtype))
    if name == "ndim":
        return Unknown() if data.shape is None else Const(len(data.shape))
    if name == "device":
        return Unknown("device")
    if name == "codes" and data.kind == "series":
        return replace(data, dtype="int8", dtype_at=interpreter.frame.spot(node), fractional=False, holds=())
    if name in {"cat", "str", "dt"} and data.kind == "series":
        return data
    return attribute(data, name, interpreter.frame.spot(node)) or Unknown()


def _of_instance(interpreter: Interpreter, instance: Instance, name: str) -> Value:
    found = interpreter.frame.state.heap.get((instance, name))
    if found is not None:
        return found
    cls = instance.cls
    if isinstance(cls, str):
        return Bound(instance, name)
    for each in cls.lineage():
        if name in each.methods:
            node = each.methods[name]
            kinds = decorators(node)
            receiver = None if "staticmethod" in kinds else instance
            method = Function(node, each.module, each.scope, receiver, each)
            return interpreter.call(method, (), {}) if kinds & {"property", "cached_property"} else method
    return Bound(instance, name)


def _call(interpreter: Interpreter, node: ast.Call) -> Value:
    function = interpreter.evaluate(node.func)
    args: list[Value] = []
    is_complete = True
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            spread = interpreter.evaluate(argument.value)
            if isinstance(spread, Seq) and spread.items is not None:
                args.extend(spread.items)
            else:
                is_complete = False
        else:
            args.append(interpreter.evaluate(argument))
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        value = interpreter.evaluate(keyword.value)
        if keyword.arg is None:
            if isinstance(value, Table) and all(isinstance(key, str) for key in value.items):
                kwargs.update(value.items)
            else:
                is_complete = False
        else:
            kwargs[keyword.arg] = value
    if not is_complete:
        if isinstance(function, Instance) and isinstance(function.cls, Class):
            return Unknown()
        return Unknown()
    return call_value(interpreter, function, tuple(args), kwargs, node)


def _sequence(interpreter: Interpreter, node: ast.Tuple | ast.List) -> Value:
    kind = "tuple" if isinstance(node, ast.Tuple) else "list"
    if any(isinstance(item, ast.Starred) for item in node.elts):
        for item in node.elts:
            interpreter.evaluate(item.value if isinstance(item, ast.Starred) else item)
        return Seq(kind)
    if len(node.elts) > 2000:
        return Seq(kind)
    return Seq(kind, tuple(interpreter.evaluate(item) for item in node.elts))


def _dict(interpreter: Interpreter, node: ast.Dict) -> Value:
    values = [interpreter.evaluate(value) for value in node.values]
    keys = [None if key is None else interpreter.evaluate(key) for key in node.keys]
    if all(isinstance(key, Const) and isinstance(key.value, str | int) for key in keys):
        return Table({key.value: value for key, value in zip(keys, values, strict=True) if isinstance(key, Const)})
    return Unknown()


def _binary(interpreter: Interpreter, node: ast.BinOp) -> Value:
    left, right = interpreter.evaluate(node.left), interpreter.evaluate(node.right)
    return combine(interpreter, node, left, right)


def combine(interpreter: Interpreter, node: ast.expr, left: Value, right: Value) -> Value:
    """What arithmetic gives; `node` is a BinOp or stands for one."""
    kind = type(getattr(node, "op", None))
    if isinstance(left, Const) and isinstance(right, Const):
        return _folded(kind, left, right)
    if kind is ast.Add and isinstance(left, Seq) and isinstance(right, Seq) and left.kind == right.kind:
        known = left.items is not None and right.items is not None
        return Seq(left.kind, (*(left.items or ()), *(right.items or ()))) if known else Seq(left.kind)
    if isinstance(left, Data) or isinstance(right, Data):
        return _data_arithmetic(interpreter, node, left, right)
    if isinstance(left, Whole) and isinstance(right, Whole | Const):
        return Whole()
    if kind is ast.Mult and isinstance(left, Seq) and left.items and isinstance(right, Const):
        many = right.value if isinstance(right.value, int) else 0
        return (
            Seq(left.kind, left.items * many)
            if 0 < many * len(left.items) < 1000
            else Seq(left.kind, None, left.items[0])
        )
    return Unknown()


def _folded(kind: type, left: Const, right: Const) -> Value:
    function = _ARITHMETIC.get(kind)
    numbers = isinstance(left.value, int | float) and isinstance(right.value, int | float)
    if function is None or not numbers:
        return Unknown()
    try:
        result = function(left.value, right.value)
    except (ArithmeticError, ValueError):
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
    return _shifted(result, data, kind, left, right)


def _shifted(result: Data, data: Data, kind: type, left: Value, right: Value) -> Data:
    """The values after arithmetic with a number, where the values before are known."""
    function = _ARITHMETIC.get(kind)
    number = right if data is left else left
    if function is None or not isinstance(number, Const) or not isinstance(number.value, int | float):
        return result
    whole = data.fractional is False and isinstance(number.value, int) and kind in {ast.Add, ast.Sub, ast.Mult}
    result = replace(result, fractional=False if whole else None)
    try:
        holds = [function(*_in_order(held, number.value, is_left=data is left)) for held in data.holds]
        if data.items is not None:
            flat = _mapped(data.items, lambda item: function(*_in_order(item, number.value, is_left=data is left)))
            return with_items(result, flat)
    except (ArithmeticError, TypeError, ValueError):
        return result
    if kind is ast.Mod or (kind is ast.FloorDiv and len(holds) > 1):
        return result
    return replace(result, holds=tuple(sorted(holds)), complete=data.complete and kind is not ast.Div)


def _in_order(held: Any, number: Any, *, is_left: bool) -> tuple[Any, Any]:
    return (held, number) if is_left else (number, held)


def _mapped(items: Any, function: Callable[[Any], Any]) -> Any:
    return [_mapped(item, function) for item in items] if isinstance(items, list) else function(items)


def _unary(interpreter: Interpreter, node: ast.UnaryOp) -> Value:
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


def _compare(interpreter: Interpreter, node: ast.Compare) -> Value:
    left = interpreter.evaluate(node.left)
    rights = [interpreter.evaluate(right) for right in node.comparators]
    if len(rights) != 1:
        return Unknown()
    right, kind = rights[0], type(node.ops[0])
    if isinstance(left, Data) or isinstance(right, Data):
        if kind in {ast.Is, ast.IsNot} and Const(None) in {left, right} if _hashable(left, right) else False:
            return Const(kind is ast.IsNot)
        if kind in {ast.In, ast.NotIn, ast.Is, ast.IsNot}:
            return Unknown()
        return _truth_values(left, right, interpreter, node)
    if isinstance(left, Const) and isinstance(right, Const) and kind in _COMPARISONS:
        try:
            return Const(bool(_COMPARISONS[kind](left.value, right.value)))
        except TypeError:
            return Unknown()
    known = isinstance(left, Seq | Instance | Function | Class | Table)
    if kind in {ast.Is, ast.IsNot} and right == Const(None) and known:
        return Const(kind is ast.IsNot)
    return Unknown()


def _hashable(left: Value, right: Value) -> bool:
    return isinstance(left, Const) or isinstance(right, Const)


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


def _boolean(interpreter: Interpreter, node: ast.BoolOp) -> Value:
    result: Value | None = None
    for each in node.values:
        value = interpreter.evaluate(each)
        truth = truth_of(value)
        if truth is (not isinstance(node.op, ast.And)):
            return value if result is None else Unknown()
        result = value if truth is not None and result is None else Unknown() if truth is None else result
    return result if isinstance(result, Const) else Unknown()


def _conditional(interpreter: Interpreter, node: ast.IfExp) -> Value:
    truth = truth_of(interpreter.evaluate(node.test))
    if truth is not None:
        return interpreter.evaluate(node.body if truth else node.orelse)
    interpreter.frame.undecided += 1
    found = join(interpreter.evaluate(node.body), interpreter.evaluate(node.orelse))
    interpreter.frame.undecided -= 1
    return found


def _subscript(interpreter: Interpreter, node: ast.Subscript) -> Value:
    value = interpreter.evaluate(node.value)
    if isinstance(value, Data):
        return index_data(interpreter, value, node)
    key = interpreter.evaluate(node.slice) if not isinstance(node.slice, ast.Slice) else Unknown()
    if isinstance(value, Seq):
        if isinstance(key, Const) and isinstance(key.value, int) and value.items is not None:
            place = key.value
            return value.items[place] if -len(value.items) <= place < len(value.items) else Unknown()
        if isinstance(node.slice, ast.Slice):
            return _sliced(interpreter, value, node.slice)
        return iterated(interpreter, value) if isinstance(key, Whole) else Unknown()
    if isinstance(value, Table) and isinstance(key, Const):
        return value.items.get(key.value, Unknown())
    if isinstance(value, Loader) and value.item is not None and not isinstance(node.slice, ast.Slice):
        return value.item
    if isinstance(value, Instance) and not isinstance(value.cls, str):
        return _item(interpreter, value, key)
    if isinstance(value, Unknown) and isinstance(key, Const) and isinstance(key.value, int | str):
        return size_of_unknown(value, key.value)
    return Unknown()


def _item(interpreter: Interpreter, instance: Instance, key: Value) -> Value:
    method = _of_instance(interpreter, instance, "__getitem__")
    return interpreter.call(method, (key,), {}) if isinstance(method, Function) else Unknown()


def _sliced(interpreter: Interpreter, value: Seq, place: ast.Slice) -> Value:
    ends = [None if end is None else interpreter.evaluate(end) for end in (place.lower, place.upper, place.step)]
    if value.items is not None and all(end is None or isinstance(end, Const) for end in ends):
        numbers = [end.value if isinstance(end, Const) else None for end in ends]
        if all(number is None or isinstance(number, int) for number in numbers) and numbers[2] != 0:
            return Seq(value.kind, value.items[slice(*numbers)])
    return Seq(value.kind, None, iterated(interpreter, value))


def _comprehension(interpreter: Interpreter, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Value:
    kept = dict(interpreter.frame.state.names)
    interpreter.frame.undecided += 1
    for generator in node.generators:
        element = iterated(interpreter, interpreter.evaluate(generator.iter))
        assign(interpreter, generator.target, element)
        for test in generator.ifs:
            interpreter.evaluate(test)
    found = interpreter.evaluate(node.elt)
    interpreter.frame.undecided -= 1
    interpreter.frame.state.names.clear()
    interpreter.frame.state.names.update(kept)
    return Seq("list", None, found) if isinstance(node, ast.ListComp) else Loader(found)


def _lambda(interpreter: Interpreter, node: ast.Lambda) -> Value:
    return Function(node, interpreter.frame.source, closure(interpreter), None, interpreter.frame.owner)


class Scope:
    """The names of a function around another, as they are when the inner one is made."""

    __slots__ = ("names", "parent")

    def __init__(self, names: dict[str, Value], parent: Any) -> None:
        self.names, self.parent = names, parent


def closure(interpreter: Interpreter) -> Any:
    """The scope that a function made here keeps; None for one that is made by a module."""
    frame = interpreter.frame
    if frame.state is frame.source.state:
        return None
    return Scope(dict(frame.state.names), frame.scope)


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


def _walrus(interpreter: Interpreter, node: ast.NamedExpr) -> Value:
    value = interpreter.evaluate(node.value)
    assign(interpreter, node.target, value)
    return value


def _joined_text(interpreter: Interpreter, node: ast.JoinedStr) -> Value:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            interpreter.evaluate(part.value)
    return Unknown()


def _yield(interpreter: Interpreter, node: ast.Yield) -> Value:
    interpreter.frame.yields.append(interpreter.evaluate(node.value) if node.value else Unknown())
    return Unknown()


def _nothing(interpreter: Interpreter, node: ast.Await | ast.Starred) -> Value:
    interpreter.evaluate(node.value)
    return Unknown()


EVALUATIONS: Final[dict[type, Callable[[Interpreter, Any], Value]]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Tuple: _sequence,
    ast.List: _sequence,
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Subscript: _subscript,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.SetComp: _comprehension,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
    ast.JoinedStr: _joined_text,
    ast.Yield: _yield,
    ast.Await: _nothing,
}

__all__ = ["EVALUATIONS", "assign", "closure", "combine", "flatten", "literal", "lookup", "truth_of"]
