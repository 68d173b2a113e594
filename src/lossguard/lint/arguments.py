"""The arguments of a call of a library: the data that it is about comes first, in a function and in a method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lossguard.contracts.dtypes import ARRAY_CODES, PYTHON_WORDS, WORDS
from lossguard.lint.values import Const, Data, DType, Library, Seq, Shape, Size, Unknown, Value, Whole


class Arguments:
    """Positional and named arguments of one call."""

    __slots__ = ("args", "kwargs")

    def __init__(self, args: tuple[Value, ...], kwargs: Mapping[str, Value]) -> None:
        self.args, self.kwargs = args, kwargs

    def get(self, place: int, *names: str) -> Value | None:
        """The argument at a place or under one of these names; None if it was not given."""
        for name in names:
            if name in self.kwargs:
                return self.kwargs[name]
        return self.args[place] if 0 <= place < len(self.args) else None

    def constant(self, place: int, *names: str, default: Any = None) -> Any:
        """The plain value of an argument: `default` if it was not given, `...` if it is not known."""
        found = self.get(place, *names)
        if found is None:
            return default
        return found.value if isinstance(found, Const) else ...

    def sizes(self, place: int, *names: str) -> Shape | None:
        """The sizes from a place on: as many arguments, or one sequence of them; None where they are not known."""
        given = self.get(place, *names)
        if isinstance(given, Seq):
            return sizes_in(given)
        if any(name in self.kwargs for name in names):
            return None
        return sizes_in(Seq("tuple", self.args[place:]))

    @property
    def dtype(self) -> str | None:
        """The dtype that is asked for: None if none is, "?" if it is not known."""
        given = self.kwargs.get("dtype")
        if given is None or given == Const(None):
            return None
        return dtype_named(given) or "?"


def size_of(value: Value) -> Size | None:
    """The size that a value stands for; None if it cannot be one."""
    if isinstance(value, Const):
        return value.value if isinstance(value.value, int) and not isinstance(value.value, bool) else None
    if isinstance(value, Unknown):
        return value.as_size()
    return None


def sizes_in(sequence: Seq) -> Shape | None:
    """The sizes in a sequence; None if one of them is none, or their number is not known."""
    if sequence.items is None:
        return None
    found: list[Size] = []
    for item in sequence.items:
        size = size_of(item)
        # An unknown argument where sizes are expected may be a whole tuple of them.
        if size is None or (isinstance(item, Unknown) and not isinstance(item, Whole) and len(sequence.items) == 1):
            return None
        found.append(size)
    return tuple(found)


_OF_PYTHON = {f"builtins.{word}": dtype for word, dtype in PYTHON_WORDS.items()}


def dtype_named(value: Value, home: str = "torch") -> str | None:
    """The dtype that a value names: `torch.long`, `np.float32`, `"int64"`, `float`."""
    if isinstance(value, Const):
        named = value.value
        if isinstance(named, DType):
            return named.name
        if isinstance(named, str):
            return _known(named.removeprefix("torch."), home)
    if isinstance(value, Library):
        return _OF_PYTHON.get(value.name)
    return None


def _known(name: str, home: str) -> str | None:
    if home != "torch":
        name = PYTHON_WORDS.get(name, name)
    name = ARRAY_CODES.get(name.lstrip("<>="), name)
    known = WORDS.get(name, name) if home == "torch" else name
    return known if known.rstrip("0123456789") in {"float", "bfloat", "int", "uint", "bool", "complex"} else None


def as_data(value: Value | None) -> Data:
    """A value as data: what is known of it as numbers."""
    if isinstance(value, Data):
        return value
    return Data(kind=None)
