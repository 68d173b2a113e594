"""Values of expressions, where they can be had without running anything of the user's or drawing a number.

Only what is known to be pure is computed: names, constants, attributes and items of plain containers, arithmetic,
and the conversions and reshapings of torch, numpy and pandas listed here.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import itertools
import math
import operator
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, Protocol

from lossguard.operations.table import named
from lossguard.tracing.values.layers import is_pure_layer, levelled, overwrites, run_layer
from lossguard.tracing.values.records import is_record
from lossguard.tracing.values.transformers import is_transformer, transformed, transforms

UNKNOWN: Final = type("Unknown", (), {"__repr__": lambda _: "UNKNOWN"})()
#: What a lookup answers to a dotted name that it leaves to the object.
ABSENT: Final = type("Absent", (), {"__repr__": lambda _: "ABSENT"})()
#: Above this many elements nothing is computed any more.
_LARGEST: Final = 5_000_000
_DEEP: Final = 40

_OPERATORS: Final[dict[type[ast.AST], Callable[..., Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}
#: Methods without side effects, of tensors, arrays, series and frames.
_METHODS: Final = named("pure", "method")
#: Functions without side effects, by the package they live in.
_FUNCTIONS: Final = named("pure", "function")
_BUILTINS: Final = frozenset(getattr(builtins, name) for name in named("pure", "builtin"))
#: A comprehension over more elements than this is not computed.
_ELEMENTS: Final = 1_000
_ITERATORS: Final[tuple[type[Any], ...]] = (
    zip,
    enumerate,
    type(reversed([])),
    type({}.keys()),
    type({}.values()),
    type({}.items()),
)

#: Nothing is computed after this time.
until: ContextVar[float] = ContextVar("until", default=math.inf)


class Names(Protocol):
    """What names mean, and what the user's own functions return."""

    def value(self, name: str) -> Any:
        """The value of a name, UNKNOWN if it is not known; ABSENT leaves a dotted name to the object."""

    def called(self, node: ast.Call, function: Any) -> Any:
        """What a call of a function of the user's gives; UNKNOWN if that cannot be had."""


def evaluate(node: ast.AST, lookup: Names, depth: int = 0) -> Any:
    """The value of an expression, or UNKNOWN. Nothing is ever raised."""
    if depth > _DEEP or time.monotonic() > until.get():
        return UNKNOWN
    try:
        return _evaluate(node, lookup, depth + 1)
    except Exception:  # noqa: BLE001 - whatever an operand's own methods raise, the value is not known
        return UNKNOWN


def _evaluate(node: ast.AST, lookup: Names, depth: int) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return lookup.value(name)
        case ast.Attribute(value=base, attr=name):
            set_here = lookup.value(f"{base.id}.{name}") if isinstance(base, ast.Name) else ABSENT
            return attribute_of(evaluate(base, lookup, depth), name) if set_here is ABSENT else set_here
        case ast.Subscript():
            return _subscript(node, lookup, depth)
        case ast.Slice() | ast.Tuple() | ast.List() | ast.Dict():
            return _container(node, lookup, depth)
        case ast.Call():
            return _call(node, lookup, depth)
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
            return _comprehended(node, lookup, depth)
    return _computed(node, lookup, depth)


def _subscript(node: ast.Subscript, lookup: Names, depth: int) -> Any:
    key = evaluate(node.slice, lookup, depth)
    if isinstance(node.value, ast.Name) and isinstance(key, str):
        known = lookup.value(f"{node.value.id}[{key}]")
        if known is not ABSENT:
            return known
    return item_of(evaluate(node.value, lookup, depth), key)


def _container(node: ast.Slice | ast.Tuple | ast.List | ast.Dict, lookup: Names, depth: int) -> Any:
    """A slice, tuple, list or dict, if all that is in it is known."""
    none = ast.Constant(value=None)
    if isinstance(node, ast.Slice):
        inner: list[ast.expr | None] = [node.lower or none, node.upper or none, node.step or none]
    elif isinstance(node, ast.Dict):
        inner = [*node.keys, *node.values]
    else:
        inner = list(node.elts)
    values = [UNKNOWN if part is None else evaluate(part, lookup, depth) for part in inner]
    if any(value is UNKNOWN for value in values):
        return UNKNOWN
    if isinstance(node, ast.Slice):
        return slice(*values)
    if isinstance(node, ast.Dict):
        return dict(zip(values[: len(node.keys)], values[len(node.keys) :], strict=True))
    return values if isinstance(node, ast.List) else tuple(values)


Comprehension = ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp


def _comprehended(node: Comprehension, lookup: Names, depth: int) -> Any:
    """A comprehension as a list or a dict, if every element of it is known."""
    found: list[Any] = []
    for inner in _turns(node.generators, lookup, depth):
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        values = [evaluate(part, inner, depth) for part in parts] if inner is not None else [UNKNOWN]
        if any(value is UNKNOWN for value in values) or len(found) >= _ELEMENTS:
            return UNKNOWN
        found.append(values if isinstance(node, ast.DictComp) else values[0])
    if isinstance(node, ast.DictComp):
        return dict(found)
    return set(found) if isinstance(node, ast.SetComp) else found


def _turns(generators: list[ast.comprehension], lookup: Names, depth: int) -> Iterator[Names | None]:
    """The names of every turn of a comprehension's loops; None for one that is not known."""
    if not generators:
        yield lookup
        return
    first, *rest = generators
    items = evaluate(first.iter, lookup, depth)
    if items is UNKNOWN or first.is_async or not _is_plain(items) or isinstance(items, float | int):
        yield None
        return
    for item in itertools.islice(items, _ELEMENTS + 1):
        names: dict[str, Any] = {}
        _bind(first.target, item, names)
        inner = _Bound(names, lookup)
        tests = [truth_of(evaluate(test, inner, depth)) for test in first.ifs]
        if any(test is None for test in tests):
            yield None
            return
        if all(tests):
            yield from _turns(rest, inner, depth)


@dataclass(frozen=True, slots=True)
class _Bound:
    """Some names of its own, and around them those of another."""

    names: Mapping[str, Any]
    outer: Names

    def value(self, name: str) -> Any:
        if name in self.names:
            return self.names[name]
        root = name.partition(".")[0].partition("[")[0]
        return ABSENT if root != name and root in self.names else self.outer.value(name)

    def called(self, _node: ast.Call, _function: Any) -> Any:
        """Unknown: the arguments are named here and not around."""
        return UNKNOWN


def _bind(target: ast.expr, item: Any, names: dict[str, Any]) -> None:
    if isinstance(target, ast.Name):
        names[target.id] = item
    elif isinstance(target, ast.Tuple | ast.List):
        starred = any(isinstance(part, ast.Starred) for part in target.elts)
        for number, part in enumerate(target.elts):
            known = not starred and isinstance(item, list | tuple) and len(item) == len(target.elts)
            _bind(part, item[number] if known else UNKNOWN, names)
    elif isinstance(target, ast.Starred):
        _bind(target.value, UNKNOWN, names)


def _computed(node: ast.AST, lookup: Names, depth: int) -> Any:
    match node:
        case ast.UnaryOp(op=sign, operand=operand):
            return _apply(sign, evaluate(operand, lookup, depth))
        case ast.BinOp(left=left, op=sign, right=right) | ast.Compare(left=left, ops=[sign], comparators=[right]):
            return _apply(sign, evaluate(left, lookup, depth), evaluate(right, lookup, depth))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            answer = truth_of(evaluate(test, lookup, depth))
            return UNKNOWN if answer is None else evaluate(body if answer else orelse, lookup, depth)
        case ast.BoolOp(op=sign, values=parts):
            return _decided(parts, lookup, depth, last=isinstance(sign, ast.Or))
        case ast.Compare(left=left, ops=signs, comparators=others):
            pairs = zip([left, *others], signs, others, strict=False)
            compared = [ast.Compare(first, [sign], [second]) for first, sign, second in pairs]
            return _decided(compared, lookup, depth, last=False)
    return UNKNOWN


def _decided(parts: Sequence[ast.expr], lookup: Names, depth: int, *, last: bool) -> Any:
    """The first of `parts` whose truth is `last`, else the last of them: what `or` and `and` give."""
    found: Any = UNKNOWN
    for part in parts:
        found = evaluate(part, lookup, depth)
        answer = truth_of(found)
        if answer is None:
            return UNKNOWN
        if answer is last:
            return found
    return found


def truth_of(value: Any) -> bool | None:
    """What a condition makes of a value; None if only code of the user's, or more than one number, could tell."""
    if value is UNKNOWN:
        return None
    if value is None or isinstance(value, bool | int | float | str | list | tuple | dict | set):
        return bool(value)
    if _is_library(value):
        return bool(value) if tuple(getattr(value, "shape", (0,))) == () and _is_plain(value) else None
    return None if hasattr(value, "__bool__") or hasattr(value, "__len__") else True


def _apply(sign: ast.AST, *operands: Any) -> Any:
    function = _OPERATORS.get(type(sign))
    if isinstance(sign, ast.Is | ast.IsNot) and function is not None:
        return UNKNOWN if any(value is UNKNOWN for value in operands) else function(*operands)
    if function is None or any(value is UNKNOWN or not _is_plain(value) for value in operands):
        return UNKNOWN
    return function(*levelled(operands))


def attribute_of(base: Any, name: str) -> Any:
    """An attribute that is stored and not computed, or one of a library's own objects."""
    if base is UNKNOWN:
        return UNKNOWN
    if isinstance(base, types.ModuleType | type):
        return getattr(base, name, UNKNOWN)
    own = getattr(base, "__dict__", None)
    if isinstance(own, dict) and name in own:
        return own[name]
    modules = own.get("_modules") if isinstance(own, dict) else None
    if isinstance(modules, dict) and name in modules:
        return _opened(modules[name])
    stored = getattr(type(base), name, UNKNOWN)
    if isinstance(stored, types.FunctionType):
        return stored
    if isinstance(stored, property) and not _is_library(base):
        return UNKNOWN
    if _is_library(base) or isinstance(base, tuple) or not isinstance(stored, property):
        return getattr(base, name, UNKNOWN)
    return UNKNOWN


def _opened(module: Any) -> Any:
    """A list or a dict of modules as a plain one."""
    kind = type(module).__name__ if type(module).__module__ == "torch.nn.modules.container" else ""
    return list(module) if kind == "ModuleList" else dict(module.items()) if kind == "ModuleDict" else module


def item_of(base: Any, key: Any) -> Any:
    """An item of a container whose `__getitem__` is no code of the user's."""
    known = base is not UNKNOWN and key is not UNKNOWN
    # What `frame.loc` is can be called as well.
    indexer = type(base).__module__ == "pandas.core.indexing"
    plain = indexer or _is_library(base) or isinstance(base, list | tuple | dict | str | range)
    return base[key] if known and plain else UNKNOWN


def _is_library(value: Any) -> bool:
    """Whether `value` is one of torch's, numpy's, pandas's or Pillow's data types."""
    home = type(value).__module__
    own = home in {"torch", "torch.nn.parameter"} or home.partition(".")[0] in {"numpy", "pandas", "PIL"}
    return own and not callable(value)


def _is_plain(value: Any) -> bool:
    """Whether it may be computed with: a number, text, or data of a library that is not too large."""
    if value is None or isinstance(value, bool | int | float | str):
        return not isinstance(value, int) or abs(value) < 2**70
    if isinstance(value, list | tuple | dict | set | range):
        return len(value) <= _LARGEST
    size = getattr(value, "size", 0)
    size = value.numel() if callable(size) and hasattr(value, "numel") else size
    size = math.prod(size) if isinstance(size, tuple) else size
    return _is_library(value) and isinstance(size, int) and size <= _LARGEST


def _call(node: ast.Call, lookup: Names, depth: int) -> Any:
    values = [value for argument in node.args for value in _given(argument, lookup, depth)]
    named = {word.arg or "**": evaluate(word.value, lookup, depth) for word in node.keywords}
    everything = [*values, *named.values()]
    if "**" in named or any(value is UNKNOWN for value in everything):
        function = evaluate(node.func, lookup, depth)
        return lookup.called(node, function) if function is UNKNOWN or is_callers(function) else UNKNOWN
    if isinstance(node.func, ast.Attribute):
        base = evaluate(node.func.value, lookup, depth)
        if transforms(base, node.func.attr) and all(map(_is_plain, everything)):
            return transformed(base, node.func.attr, values, named)
        if base is not UNKNOWN and not isinstance(base, types.ModuleType | type) and _is_plain(base):
            method = getattr(base, node.func.attr) if node.func.attr in _METHODS else None
            if method is None or overwrites(method, values, named) or any(map(_is_function, everything)):
                return UNKNOWN
            return _listed(method(*values, **named))
    function = evaluate(node.func, lookup, depth)
    if is_pure_layer(function) and not named and all(_is_plain(value) for value in values):
        return run_layer(function, *values)
    if function is UNKNOWN or is_callers(function):
        return lookup.called(node, function)
    known = is_record(function) or (is_pure(function) and all(map(_is_operand, everything)))
    if not known or overwrites(function, values, named):
        return UNKNOWN
    return _listed(function(*levelled(values), **named))


def _given(argument: ast.expr, lookup: Names, depth: int) -> list[Any]:
    """What an argument of a call stands for: itself, or each of `*items`."""
    if not isinstance(argument, ast.Starred):
        return [evaluate(argument, lookup, depth)]
    items = evaluate(argument.value, lookup, depth)
    return list(items) if isinstance(items, list | tuple) else [UNKNOWN]


def _listed(value: Any) -> Any:
    """What can be gone through only once, or only as long as something else lives, as a list."""
    return list(value) if isinstance(value, _ITERATORS) else value


def _is_function(value: Any) -> bool:
    """Whether it would be called by what it is given to."""
    return callable(value) and not isinstance(value, type) and not _is_library(value)


def _is_operand(value: Any) -> bool:
    return _is_plain(value) or isinstance(value, type) or type(value).__name__ in {"dtype", "device"}


def is_callers(function: Any) -> bool:
    """Whether it may be a function, a method, a module or another object to call of the user's own making."""
    plain = isinstance(function, types.FunctionType | types.MethodType)
    home = function.__module__ if plain else type(function).__module__
    called = plain or isinstance(inspect.getattr_static(type(function), "__call__", None), types.FunctionType)
    return called and (home or "").partition(".")[0] not in {"torch", "numpy", "pandas"}


def is_pure(function: Any) -> bool:
    """Whether calling it has no effect but its result."""
    try:
        if function in _BUILTINS or is_transformer(function):
            return True
    except TypeError:
        return False
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", None) or ""
    known = {"torch", "numpy", "pandas"} & set(sys.modules)
    home = module.partition(".")[0] in known or type(function).__module__.partition(".")[0] in known
    return name in _FUNCTIONS and (home or getattr(sys.modules.get("torch"), name, None) is function)
