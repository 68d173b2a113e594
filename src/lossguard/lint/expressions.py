"""What expressions are known to be: a function for each kind of node."""

from __future__ import annotations

import ast
import builtins
import string
from collections.abc import Callable
from typing import Any, Final

from lossguard.lint.arithmetic import binary, boolean, compare, conditional, unary
from lossguard.lint.assigning import assign
from lossguard.lint.effects import attribute
from lossguard.lint.feeding import MOST_ITEMS, letters, unzipped
from lossguard.lint.frames import LOCATORS, located
from lossguard.lint.indexing import index_data
from lossguard.lint.interpreter import Interpreter, decorators
from lossguard.lint.joining import element_of
from lossguard.lint.library import call_value, iterated, looked_up
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
#: How many keys of a dict are followed one by one.
_MOST_KEYS: Final = 100
_OF_TORCH: Final = {"float": "float32", "int": "int32"}
_OF_NUMPY: Final = {"float_": "float64", "int_": "int64", "bool_": "bool", "single": "float32"}


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
    globals_ = interpreter.frames[0].state if source.is_running else source.state
    if frame.state is not globals_ and name in globals_.names:
        value = globals_.names[name]
        fixed = isinstance(value, Class | Library | Module | Function | Imported) or source.is_settled(name)
        return value if fixed else Unknown(name)
    if name in _BUILTINS:
        return Library(f"builtins.{name}")
    return source.implied.get(name) or Unknown(name)


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
    if isinstance(value, Seq) and name in value.names and value.items is not None:
        return value.items[value.names.index(name)]
    if isinstance(value, Class):
        return _of_class(interpreter, value, name)
    if isinstance(value, Unknown):
        return value.part(name) if name in {"shape", "device"} else Bound(value, name)
    if isinstance(value, Seq | Table | Loader | Bound | Const):
        return Bound(value, name)
    return Unknown(name)


def _of_class(interpreter: Interpreter, cls: Class, name: str) -> Value:
    """A name in the body of a class, or a method of it."""
    for each in cls.lineage():
        if name in (body := interpreter.class_body(each)):
            return body[name]
    owner = next((each for each in cls.lineage() if name in each.methods), None)
    if owner is None:
        return Unknown()
    return Function(owner.methods[name], owner.module, owner.scope, _class_receiver(cls, owner, name), owner)


def _class_receiver(cls: Class, owner: Class, name: str) -> Class | None:
    """What a method that is read off a class gets as its first argument: the class, if it is a class method."""
    return cls if "classmethod" in decorators(owner.methods[name]) else None


def _of_library(value: Library, name: str) -> Value:
    home = value.name.partition(".")[0]
    if value.name == "torch" and (dtype := _OF_TORCH.get(name) or _DTYPES.get(name)):
        return Const(DType(dtype))
    if value.name == "numpy" and (dtype := _OF_NUMPY.get(name) or _DTYPES.get(name)):
        return Const(DType(dtype))
    if home in {"numpy", "math"} and name in {"nan", "NaN", "inf", "pi"}:
        return Const({"nan": float("nan"), "NaN": float("nan"), "inf": float("inf"), "pi": 3.141592653589793}[name])
    if home == "string" and name in {"ascii_lowercase", "ascii_uppercase", "ascii_letters", "digits"}:
        return Const(getattr(string, name))
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
    if data.kind == "frame" and name in data.columns:
        found: Value = data.columns[name]
        return found
    return attribute(data, name, interpreter.frame.spot(node)) or Unknown()


def _of_instance(interpreter: Interpreter, instance: Instance, name: str) -> Value:
    found = interpreter.frame.state.heap.get((instance, name))
    if found is None and instance.variants:
        found = element_of(Seq("list", tuple(_of_instance(interpreter, each, name) for each in instance.variants)))
        return Unknown(name) if isinstance(found, Function) or found is None else found
    if found is not None:
        return found
    cls = instance.cls
    if isinstance(cls, str):
        return Bound(instance, name)
    for each in cls.lineage():
        if name in each.methods:
            node = each.methods[name]
            kinds = decorators(node)
            receiver: Value | None = None if "staticmethod" in kinds else cls if "classmethod" in kinds else instance
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
            if function == Library("builtins.zip") and len(node.args) == 1 and (found := unzipped(spread)) is not None:
                return found
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
        return Unknown()
    interpreter.node = node
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
    items: dict[Any, Value] = {}
    for key, value in zip(keys, values, strict=True):
        if isinstance(key, Const) and isinstance(key.value, str | int):
            items[key.value] = value
        elif key is None and isinstance(value, Table):
            items.update(value.items)
        else:
            return Unknown()
    return Table(items)


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
    if isinstance(value, Table):
        return value.items.get(key.value, Unknown()) if isinstance(key, Const) else looked_up(value)
    if isinstance(value, Bound) and isinstance(value.receiver, Data) and value.name in LOCATORS:
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        keys = [Unknown() if isinstance(place, ast.Slice) else interpreter.evaluate(place) for place in places]
        return located(value.receiver, keys, places)
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


def _one_by_one(
    interpreter: Interpreter, node: ast.ListComp | ast.GeneratorExp | ast.DictComp, most: int = MOST_ITEMS
) -> list[Value] | None:
    """The items that a comprehension goes through, if they are known and few."""
    generator = node.generators[0]
    if len(node.generators) > 1 or generator.ifs:
        return None
    given = letters(interpreter.evaluate(generator.iter))
    if isinstance(given, Loader) and given.length is not None and given.length <= most:
        return [Const(number) for number in range(given.length)]
    known = isinstance(given, Seq) and given.items is not None and 0 < len(given.items) <= most
    return list(given.items) if known and isinstance(given, Seq) and given.items else None


def _dict_comprehension(interpreter: Interpreter, node: ast.DictComp) -> Value:
    items = _one_by_one(interpreter, node, _MOST_KEYS)
    kept, found = dict(interpreter.frame.state.names), dict[Any, Value]()
    for item in items or ():
        assign(interpreter, node.generators[0].target, item)
        key = interpreter.evaluate(node.key)
        if not isinstance(key, Const) or not isinstance(key.value, str | int):
            items = None
            break
        found[key.value] = interpreter.evaluate(node.value)
    interpreter.frame.state.names.clear()
    interpreter.frame.state.names.update(kept)
    return Unknown() if items is None else Table(found)


def _comprehension(interpreter: Interpreter, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Value:
    kept = dict(interpreter.frame.state.names)
    items = None if isinstance(node, ast.SetComp) else _one_by_one(interpreter, node)
    if items is not None:
        values: list[Value] = []
        for item in items:
            assign(interpreter, node.generators[0].target, item)
            values.append(interpreter.evaluate(node.elt))
        interpreter.frame.state.names.clear()
        interpreter.frame.state.names.update(kept)
        return Seq("list", tuple(values))
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
    ast.BinOp: binary,
    ast.UnaryOp: unary,
    ast.Compare: compare,
    ast.BoolOp: boolean,
    ast.IfExp: conditional,
    ast.Subscript: _subscript,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.SetComp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
    ast.JoinedStr: _joined_text,
    ast.Yield: _yield,
    ast.Await: _nothing,
}

__all__ = ["EVALUATIONS", "closure", "lookup", "read_attribute"]
