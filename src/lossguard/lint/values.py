"""What an expression is known to be: the values of the abstract interpretation, and how two of them join.

What is not known is an `Unknown`, which is an object of its own: the same unknown number used twice is the same size.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from lossguard.facts.facts import Maker
from lossguard.records import dataclass, field, replace

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
    "Number",
    "Seq",
    "Shape",
    "Size",
    "Spot",
    "Symbol",
    "Table",
    "Truth",
    "Unknown",
    "Value",
    "Whole",
    "broadcast_shapes",
    "is_number",
    "number_kind",
    "numbers_of",
    "replace",
    "size_of_unknown",
]


class Symbol:
    """A size that is not known but has a name; the same object is the same size."""

    __slots__ = ("base", "name", "plural", "times")

    def __init__(self, name: str, *, plural: bool = False, base: Symbol | None = None, times: int = 1) -> None:
        self.name = name
        #: Whether it is more than one in general, as the number of samples in a batch is.
        self.plural = plural
        #: The size that it is a multiple of, and how many times that is.
        self.base, self.times = base or self, times

    def multiple(self, times: int) -> Symbol:
        """So many times this size."""
        times *= self.times
        return Symbol(f"{times}{self.base.name}", plural=True, base=self.base, times=times)


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


class Number(Unknown):
    """A number of Python that is not known, or that is several in turn."""

    __slots__ = ("complete", "holds")

    def __init__(self, name: str = "", holds: tuple[float, ...] = (), *, complete: bool = False) -> None:
        super().__init__(name)
        #: Numbers that it is at times, and whether it is never below or above them.
        self.holds, self.complete = holds, complete


class Whole(Number):
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


class Fraction(Number):
    """A number of Python in floating point, such as `float(x)` gives."""

    __slots__ = ()


class Truth(Number):
    """True or False, and not known which."""

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

    def __init__(self, value: Any) -> None:
        """As a record does it, in a quarter of the time: there is one for each literal that is read."""
        self.__dict__["value"] = value


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
    holds: tuple[float, ...] = ()
    #: Whether no value is below or above those of `holds`.
    complete: bool = False
    fractional: bool | None = None
    #: Whether some values are NaN for sure.
    missing: bool = False
    #: What each row along the last axis sums to.
    row_sum: float | None = None
    #: What is known of the columns of a table.
    columns: Mapping[str, Any] = field(default_factory=dict)
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
    #: The names of the items of a named tuple.
    names: tuple[str, ...] = ()


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

    __slots__ = ("is_bare", "module", "node", "owner", "receiver", "scope")

    def __init__(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        module: Any,
        scope: Any = None,
        receiver: Value | None = None,
        owner: Class | None = None,
        *,
        is_bare: bool = False,
    ) -> None:
        self.node, self.module, self.scope, self.receiver, self.owner = node, module, scope, receiver, owner
        #: Whether its decorators are left aside.
        self.is_bare = is_bare


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

    def fields(self) -> tuple[str, ...]:
        """The annotated names in the bodies of its classes, in order: the fields of a dataclass or a named tuple."""
        found: dict[str, None] = {}
        for cls in reversed(list(self.lineage())):
            for item in cls.node.body:
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                    found[item.target.id] = None
        return tuple(found)

    def constants(self) -> Iterable[str]:
        """The names that are given a plain value in its body."""
        for item in self.node.body:
            if isinstance(item, ast.Assign) and isinstance(item.value, ast.Constant):
                yield from (target.id for target in item.targets if isinstance(target, ast.Name))

    def libraries(self) -> Iterable[str]:
        """The full names of the library classes that it inherits from."""
        return [base.name for cls in self.lineage() for base in cls.bases if isinstance(base, Library)]

    def is_known(self) -> bool:
        """Whether every class that it inherits from is known."""
        return all(isinstance(base, Class | Library) for cls in self.lineage() for base in cls.bases)


class Instance(Value):
    """An object: of a class of the project, or of one of a library with the arguments that it was made with."""

    __slots__ = ("args", "cls", "kwargs", "spot", "variants")

    def __init__(
        self,
        cls: Class | str,
        args: tuple[Value, ...] = (),
        kwargs: Mapping[str, Value] | None = None,
        spot: Spot | None = None,
    ) -> None:
        self.cls, self.args, self.kwargs, self.spot = cls, args, dict(kwargs or {}), spot
        #: The objects of which this is one, if it is one of several.
        self.variants: tuple[Instance, ...] = ()

    def argument(self, place: int, name: str) -> Value | None:
        """An argument it was made with, by place or by name."""
        return self.kwargs.get(name) or (self.args[place] if place < len(self.args) else None)


@dataclass(frozen=True, slots=True)
class Bound(Value):
    """A method of data or of a library object, not called yet."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True)
class Partial(Value):
    """A function with its first arguments and some named ones."""

    function: Value
    args: tuple[Value, ...]
    kwargs: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class NamedTuple(Value):
    """A class of named tuples, with the names of its fields and what they are if they are not given."""

    names: tuple[str, ...]
    defaults: Mapping[str, Value] = field(default_factory=dict)

    def made(self, args: tuple[Value, ...], kwargs: Mapping[str, Value]) -> Value:
        """A tuple of this class."""
        given = {**self.defaults, **dict(zip(self.names, args, strict=False)), **kwargs}
        return Seq("tuple", tuple(given.get(name, Unknown(name)) for name in self.names), names=self.names)


@dataclass(frozen=True, slots=True)
class Loader(Value):
    """What gives batches or samples when it is iterated over: `element`; `item` is what an index gives."""

    element: Value
    item: Value | None = None
    #: How many elements a `range` has.
    length: int | None = None


NUMBERS: Final = (bool, int, float)


def is_number(value: Value) -> bool:
    """Whether this is a number that is written down."""
    return isinstance(value, Const) and isinstance(value.value, NUMBERS)


def number_kind(value: Value) -> type[Number] | None:
    """What kind of number of Python this is; None if it is none."""
    if isinstance(value, Number):
        return type(value)
    if isinstance(value, Const):
        kinds: dict[type, type[Number]] = {bool: Truth, int: Whole, float: Fraction}
        return kinds.get(type(value.value))
    return None


def numbers_of(value: Value) -> tuple[float, ...]:
    """The numbers that this is known to be at times."""
    if isinstance(value, Const):
        return (value.value,) if isinstance(value.value, NUMBERS) else ()
    return value.holds if isinstance(value, Number) else ()


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
