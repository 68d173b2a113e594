"""What an expression is known to be: the values of the abstract interpretation, and how two of them join.

What is not known is an `Unknown`, which is an object of its own: the same unknown number used twice is the same size.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from lossguard.facts.facts import Maker, Number
from lossguard.records import dataclass, replace

__all__ = [
    "Bound",
    "Class",
    "Const",
    "DType",
    "Data",
    "Fraction",
    "Function",
    "Imported",
    "Instance",
    "Library",
    "Loader",
    "Module",
    "Seq",
    "Shape",
    "Size",
    "Spot",
    "Symbol",
    "Table",
    "Unknown",
    "Value",
    "Whole",
    "broadcast_shapes",
    "is_number",
    "join",
    "join_all",
    "replace",
    "size_of_unknown",
]


class Symbol:
    """A size that is not known but has a name; the same object is the same size."""

    __slots__ = ("name", "plural")

    def __init__(self, name: str, *, plural: bool = False) -> None:
        self.name = name
        #: Whether it is more than one in general, as the number of samples in a batch is.
        self.plural = plural


Size = int | Symbol
Shape = tuple[Size, ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the source: the module it is in, and the node."""

    module: Any
    node: ast.expr


class Value:
    """What an expression is known to be."""

    __slots__ = ()


class Unknown(Value):
    """Nothing is known. What is read off it twice is the same unknown thing."""

    __slots__ = ("name", "parts", "symbol")

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.parts: dict[Any, Unknown] = {}
        self.symbol: Symbol | None = None

    def part(self, key: Any) -> Unknown:
        """An attribute or an item of it."""
        if key not in self.parts:
            self.parts[key] = Unknown(self.name)
        return self.parts[key]

    def as_size(self) -> Symbol:
        """The size that it stands for, where it is used as one."""
        if self.symbol is None:
            self.symbol = Symbol(self.name or "n")
        return self.symbol


class Whole(Unknown):
    """A whole number that is not known, such as the size of an axis."""

    __slots__ = ()

    @staticmethod
    def of(size: Size) -> Value:
        """A size as a value."""
        if isinstance(size, int):
            return Const(size)
        number = Whole(size.name)
        number.symbol = size
        return number


class Fraction(Unknown):
    """A number of Python with a fraction, such as `float(x)` gives."""

    __slots__ = ()


def size_of_unknown(value: Unknown, key: Any) -> Unknown:
    """An item of something unknown: of a shape, it is a whole number."""
    if key not in value.parts and isinstance(key, int) and value.name == "shape":
        value.parts[key] = Whole("N" if key == 0 else "n")
    return value.part(key)


@dataclass(frozen=True, slots=True)
class DType:
    """A dtype of torch or numpy."""

    name: str


@dataclass(frozen=True, slots=True)
class Const(Value):
    """A plain value that is written in the source: a number, a text, None, a dtype."""

    value: Any


@dataclass(frozen=True, slots=True)
class Data(Value):
    """Numbers in a tensor, an array or a column, and what is known of them."""

    #: "tensor", "array", "series", "frame" or "number" (of numpy); None while it may be several of these.
    kind: str | None = "tensor"
    dtype: str | None = None
    shape: Shape | None = None
    device: str | None = None
    maker: Maker | None = None
    #: The axis of a softmax or log_softmax, counted as it was written.
    axis: int | None = None
    outputs_last: bool = False
    #: Whether each row along the last axis holds one 1 and zeros.
    one_hot: bool = False
    #: Numbers that are among the values, whatever else is.
    holds: tuple[Number, ...] = ()
    #: Whether no value is below or above those of `holds`.
    complete: bool = False
    fractional: bool | None = None
    #: The values themselves, where they are written down.
    items: Any = None
    dtype_at: Spot | None = None
    maker_at: Spot | None = None
    shape_at: Spot | None = None


@dataclass(frozen=True, slots=True)
class Seq(Value):
    """A list or a tuple: its items, or what every item is where their number is unknown."""

    kind: str
    items: tuple[Value, ...] | None = None
    element: Value | None = None


@dataclass(frozen=True, slots=True)
class Table(Value):
    """A dict with keys that are written down."""

    items: Mapping[Any, Value]


@dataclass(frozen=True, slots=True)
class Library(Value):
    """Something of a library, by its full name: `torch.nn.functional.softmax`."""

    name: str


class Module(Value):
    """A file of the project, as far as it was interpreted; `project.py` fills it."""

    __slots__ = ("source",)

    def __init__(self, source: Any) -> None:
        self.source = source


@dataclass(frozen=True, slots=True)
class Imported(Value):
    """A name of another file of the project, which is read when the name is used."""

    module: Module
    name: str


class Function(Value):
    """A function of the project, with the scope in which it was made."""

    __slots__ = ("module", "node", "owner", "receiver", "scope")

    def __init__(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        module: Any,
        scope: Any = None,
        receiver: Value | None = None,
        owner: Class | None = None,
    ) -> None:
        self.node, self.module, self.scope, self.receiver, self.owner = node, module, scope, receiver, owner


class Class(Value):
    """A class of the project."""

    __slots__ = ("bases", "methods", "module", "node", "scope")

    def __init__(self, node: ast.ClassDef, module: Any, bases: tuple[Value, ...], scope: Any = None) -> None:
        self.node, self.module, self.bases, self.scope = node, module, bases, scope
        self.methods = {
            item.name: item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)
        }

    def lineage(self) -> Iterable[Class]:
        """This class and those it inherits from, in order, as far as they are of the project."""
        todo, seen = [self], list[Class]()
        while todo:
            first = todo.pop(0)
            if first not in seen:
                seen.append(first)
                todo = [base for base in first.bases if isinstance(base, Class)] + todo
        return seen

    def libraries(self) -> Iterable[str]:
        """The full names of the library classes that it inherits from."""
        return [base.name for cls in self.lineage() for base in cls.bases if isinstance(base, Library)]

    def is_known(self) -> bool:
        """Whether every class that it inherits from is known."""
        return all(isinstance(base, Class | Library) for cls in self.lineage() for base in cls.bases)


class Instance(Value):
    """An object: of a class of the project, or of one of a library with the arguments that it was made with."""

    __slots__ = ("args", "cls", "kwargs", "spot")

    def __init__(
        self,
        cls: Class | str,
        args: tuple[Value, ...] = (),
        kwargs: Mapping[str, Value] | None = None,
        spot: Spot | None = None,
    ) -> None:
        self.cls, self.args, self.kwargs, self.spot = cls, args, dict(kwargs or {}), spot

    def argument(self, place: int, name: str) -> Value | None:
        """An argument it was made with, by place or by name."""
        return self.kwargs.get(name) or (self.args[place] if place < len(self.args) else None)


@dataclass(frozen=True, slots=True)
class Bound(Value):
    """A method of data or of a library object, not called yet."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True)
class Loader(Value):
    """What gives batches or samples when it is iterated over: `element`; `item` is what an index gives."""

    element: Value
    item: Value | None = None


NUMBERS: Final = (bool, int, float)


def is_number(value: Value) -> bool:
    """Whether this is a number that is written down."""
    return isinstance(value, Const) and isinstance(value.value, NUMBERS)


def join_all(values: Iterable[Value]) -> Value | None:
    """What all of these say; None for none of them."""
    result: Value | None = None
    for value in values:
        result = value if result is None else join(result, value)
    return result


def join(one: Value, other: Value) -> Value:
    """What both say. Two that differ in kind say nothing."""
    if one is other:
        return one
    if isinstance(one, Const) and isinstance(other, Const):
        same = type(one.value) is type(other.value) and one.value == other.value
        return one if same else Unknown()
    if isinstance(one, Library) and one == other:
        return one
    if isinstance(one, Data) and isinstance(other, Data):
        return _join_data(one, other)
    if isinstance(one, Seq) and isinstance(other, Seq):
        return _join_sequences(one, other)
    if isinstance(one, Table) and isinstance(other, Table) and one.items.keys() == other.items.keys():
        return Table({key: join(value, other.items[key]) for key, value in one.items.items()})
    if isinstance(one, Loader) and isinstance(other, Loader):
        return Loader(join(one.element, other.element))
    if isinstance(one, Function) and isinstance(other, Function) and one.node is other.node:
        return one if one.receiver is other.receiver else Unknown()
    return Unknown()


def _join_sequences(one: Seq, other: Seq) -> Value:
    if one.kind != other.kind:
        return Unknown()
    if one.items is not None and other.items is not None and len(one.items) == len(other.items):
        return Seq(one.kind, tuple(join(a, b) for a, b in zip(one.items, other.items, strict=True)))
    elements = [element_of(one), element_of(other)]
    known = [element for element in elements if element is not None]
    return Seq(one.kind, None, join_all(known) if len(known) == 2 else None)


def element_of(value: Value) -> Value | None:
    """What every item of a sequence is."""
    if isinstance(value, Seq):
        return join_all(value.items) if value.items else value.element
    return None


def _agreed(one: Any, other: Any) -> Any:
    return one if one == other else None


def _join_data(one: Data, other: Data) -> Data:
    holds = tuple(number for number in one.holds if number in other.holds)
    return Data(
        kind=_agreed(one.kind, other.kind),
        dtype=_agreed(one.dtype, other.dtype),
        shape=_join_shapes(one.shape, other.shape),
        device=_agreed(one.device, other.device),
        maker=_agreed(one.maker, other.maker),
        axis=_agreed(one.axis, other.axis),
        outputs_last=one.outputs_last and other.outputs_last,
        one_hot=one.one_hot and other.one_hot,
        holds=holds,
        complete=one.complete and other.complete and holds == one.holds == other.holds,
        fractional=_agreed(one.fractional, other.fractional),
        items=one.items if one.items == other.items and type(one.items) is type(other.items) else None,
        dtype_at=one.dtype_at,
        maker_at=one.maker_at if one.maker_at == other.maker_at else None,
        shape_at=one.shape_at,
    )


def _join_shapes(one: Shape | None, other: Shape | None) -> Shape | None:
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(a if a == b else _either(a, b) for a, b in zip(one, other, strict=True))


def _either(one: Size, other: Size) -> Symbol:
    plural = all(
        (isinstance(size, Symbol) and size.plural) or (isinstance(size, int) and size > 1) for size in (one, other)
    )
    return Symbol(one.name if isinstance(one, Symbol) else "n", plural=plural)


def broadcast_shapes(shapes: Iterable[Shape | None]) -> Shape | None:
    """The shape that these broadcast to, as far as it is known; None if a rank is not."""
    known: list[Shape] = []
    for shape in shapes:
        if shape is None:
            return None
        known.append(shape)
    rank = max(map(len, known), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in known]
    return tuple(_broadcast_sizes(sizes) for sizes in zip(*padded, strict=True))


def _broadcast_sizes(sizes: tuple[Size, ...]) -> Size:
    others = [size for size in dict.fromkeys(sizes) if size != 1]
    if not others:
        return 1
    if len(others) == 1:
        return others[0]
    numbers = [size for size in others if isinstance(size, int)]
    return numbers[0] if numbers else Symbol("n")


Evaluate = Callable[[ast.expr], Value]
