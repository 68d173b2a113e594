"""What calls of libraries do to data: dtype, shape, values and meaning, by the rows of the table of operations."""

from __future__ import annotations

from typing import Any, Final

from lossguard.contracts.dtypes import is_floating, is_whole
from lossguard.facts.facts import Maker
from lossguard.lint.arguments import Arguments, as_data, dtype_named
from lossguard.lint.joining import element_of
from lossguard.lint.layers import of_function
from lossguard.lint.shaping import SHAPINGS, axis_of, first, literal, reduced_axes, turned
from lossguard.lint.values import (
    Bound,
    Const,
    Data,
    Fraction,
    Number,
    Seq,
    Shape,
    Spot,
    Symbol,
    Truth,
    Unknown,
    Value,
    Whole,
    number_kind,
    numbers_of,
    replace,
)
from lossguard.lint.valuing import flatten, recast, recast_numbers, with_items, with_rows, with_values
from lossguard.operations.operation import Operation
from lossguard.operations.table import find

_MAKERS: Final = {"log-probabilities": Maker.LOG_SOFTMAX, "scores": Maker.LINEAR}
_SCORES: Final = frozenset({"linear", "conv1d", "conv2d", "conv3d", "bilinear"})
#: How the result of a call of each library is kept.
_KINDS: Final = {"torch": "tensor", "numpy": "array", "pandas": None}
#: Calls whose name says in which dtype the numbers come.
_CONSTRUCTORS: Final = frozenset({"Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "IntTensor", "ByteTensor"})
_FROM_DATA: Final = frozenset({"tensor", "as_tensor", "asarray", "array", "from_numpy", "ascontiguousarray"})
#: What is drawn from or filled decides on the dtype.
_OF_WHAT_IS_GIVEN: Final = frozenset({"full_like", "choice", "permutation", "bernoulli"})
_HALVES: Final = ("float16", "bfloat16", "float32", "float64")
#: A name in `torch.x` without a home of its own among the losses and layers.
_TO_ARRAY: Final = frozenset({"numpy", "to_numpy", "array", "asarray"})
_ORDER: Final = ("bool", "uint8", "int8", "int16", "int32", "int64", *_HALVES)


class Effects:
    """Effects of library calls, given what the project says of defaults."""

    def __init__(self, default_float: str | None = "float32", device: str | None = "cpu") -> None:
        #: What `torch.randn` gives; None where the project changes it.
        self.default_float = default_float
        self.device = device

    def call(self, name: str, home: str, arguments: Arguments, spot: Spot) -> Value:
        """The result of a function or method of this name; what the table does not say stays unknown."""
        rows = find(name)
        row = next((row for row in rows if home in row.home), rows[0] if rows and home == "any" else None)
        if row is None or "layer" in row.home:
            return Unknown()
        if "grouped" in row.kind:
            return Unknown()
        if "split" in row.axes:
            return self._parts(arguments)
        if name in _FROM_DATA or name in _CONSTRUCTORS:
            return self._from_data(name, home, arguments, spot)
        result = self._result(row, home, arguments, spot)
        if name in {"max", "min", "median", "sort", "topk"} and reduced_axes(arguments) != () and home != "numpy":
            index = Data(kind=result.kind, dtype="int64", shape=result.shape, device=result.device, dtype_at=spot)
            return Seq("tuple", (replace(result, holds=(), complete=False), index))
        if "pair" in row.axes or "with-state" in row.axes:
            return Unknown()
        if row.kind and name != "item" and result.kind == "tensor":
            return Unknown() if name == "tolist" else result
        return Unknown() if name == "item" else result

    def _parts(self, arguments: Arguments) -> Value:
        data = as_data(arguments.get(0))
        return Seq("tuple", None, Data(kind=data.kind, dtype=data.dtype, device=data.device))

    def _result(self, row: Operation, home: str, arguments: Arguments, spot: Spot) -> Data:
        data = as_data(arguments.get(0, "input", "tensor", "self", "x", "a"))
        shape = self._shape(row, arguments)
        dtype, dtype_at = self._dtype(row, home, arguments, data, spot)
        kind = _KINDS.get(home, data.kind) if home != "any" else data.kind
        if row.name in _TO_ARRAY:
            kind = "array"
        result = Data(kind=kind or data.kind, dtype=dtype, shape=shape, dtype_at=dtype_at, shape_at=data.shape_at)
        result = replace(result, device=self._device(row, arguments, data))
        if shape is not None and shape != data.shape:
            result = replace(result, shape_at=spot)
        if data.kind == "frame" and (row.rows or "same" in row.values):
            result = replace(result, columns=with_rows(row, data))
        return with_values(row, arguments, data, self._meaning(row, arguments, data, result, spot))

    def _shape(self, row: Operation, arguments: Arguments) -> Any:
        word = next(iter(row.axes), "as-given" if "entry-by-entry" in row.shape else "")
        if word in SHAPINGS:
            return SHAPINGS[word](arguments)
        if word == "same-rank":
            return of_function(row.name, arguments, first(arguments))
        data = arguments.get(0)
        if isinstance(data, Data) and data.kind == "frame" and row.name == "to_numpy":
            return data.shape or _of_table(data)
        if isinstance(data, Data) and data.kind == "series" and ("same" in row.values or "edge-gaps" in row.finiteness):
            return (Symbol("n", plural=True),) if "moved" in row.rows else data.shape
        return None

    def _device(self, row: Operation, arguments: Arguments, data: Data) -> str | None:
        if row.name == "cuda":
            return "cuda" if len(arguments.args) < 2 else None
        if row.name == "cpu":
            return "cpu"
        if row.name == "type_as":
            return as_data(arguments.get(1, "other")).device
        given = arguments.get(-1, "device")
        if row.name == "to" and given is None:
            given = next((value for value in arguments.args[1:] if dtype_named(value) is None), None)
        if given is not None and given != Const(None):
            return given.value.partition(":")[0] if isinstance(given, Const) and isinstance(given.value, str) else None
        if row.name == "to":
            return data.device
        made_here = "sizes" in row.takes and row.name != "full_like" and not isinstance(arguments.get(0), Data)
        return self.device if made_here else data.device

    def _dtype(
        self, row: Operation, home: str, arguments: Arguments, data: Data, spot: Spot
    ) -> tuple[str | None, Spot | None]:
        if (asked := arguments.dtype) is not None:
            return (None, None) if asked == "?" else (self._of_home(asked, home), spot)
        if row.name in {"to", "type", "astype", "view"} and len(arguments.args) > 1:
            for given in arguments.args[1:]:
                named = dtype_named(given, "torch" if home in {"torch", "any"} and row.name != "astype" else home)
                if named is not None:
                    return named, data.dtype_at if named == data.dtype else spot
                if isinstance(given, Data) and row.name == "to":
                    return given.dtype, given.dtype_at
            is_device = all(isinstance(value, Const) and isinstance(value.value, str) for value in arguments.args[1:])
            moved = row.name == "to" and (is_device or "device" in arguments.kwargs or _looks_like_device(arguments))
            return (data.dtype, data.dtype_at) if moved or row.name == "view" else (None, None)
        if row.name == "type_as":
            other = as_data(arguments.get(1, "other"))
            return other.dtype, other.dtype_at
        exact = next((word for word in row.dtype if word[-1:].isdigit()), None)
        if exact is not None:
            return exact, spot
        if "bool" in row.dtype:
            return "bool", spot
        if "whole" in row.dtype:
            return "int64", spot
        return self._natural(row, home, arguments, data, spot)

    def _natural(
        self, row: Operation, home: str, arguments: Arguments, data: Data, spot: Spot
    ) -> tuple[str | None, Spot | None]:
        """The dtype of a result that no word of its row settles."""
        if row.name in {"arange", "randperm", "full"}:
            numbers = arguments.args[1:2] if row.name == "full" else arguments.args
            whole = all(isinstance(n, Const) and isinstance(n.value, int) for n in numbers) or row.name == "randperm"
            fractions = any(isinstance(n, Const) and isinstance(n.value, float) for n in numbers)
            return ("int64", spot) if whole else (self._float(home), spot) if fractions else (None, None)
        if "sizes" in row.takes:
            return self._float(home) if row.name not in _OF_WHAT_IS_GIVEN else _drawn_dtype(arguments), spot
        if row.name in {"div", "divide"} and arguments.kwargs.get("rounding_mode", Const(None)) != Const(None):
            return data.dtype, data.dtype_at
        if "float" in row.dtype or row.name in {"log_softmax", "div", "divide", "exp", "log", "sqrt"}:
            if data.dtype is None or is_floating(data.dtype):
                return data.dtype, data.dtype_at
            return self._float(home), spot
        if row.name in {"sum", "cumsum", "prod"} and data.dtype is not None and is_whole(data.dtype):
            return "int64", spot
        if "broadcast" in row.axes and row.name != "where":
            return promoted(list(arguments.args[:2]), self.default_float), data.dtype_at
        if row.name == "where":
            return self._of_choice(list(arguments.args[1:3]), home), spot
        if row.axes & {"joined", "stacked", "padded", "columns"}:
            return _common_dtype(arguments.get(0, "tensors", "arrays"))
        keeps = row.axes or "same" in row.values or "entry-by-entry" in row.shape or "kept" in row.meaning
        return (data.dtype, data.dtype_at) if keeps or "keeps" in row.finiteness else (None, None)

    def _of_choice(self, operands: list[Value], home: str) -> str | None:
        """The dtype of `where`: numbers that are written down count by themselves."""
        if operands and all(isinstance(value, Const) for value in operands):
            return _literal_dtype(
                [value.value for value in operands if isinstance(value, Const)], home, self.default_float
            )
        return promoted(operands, self.default_float)

    def _float(self, home: str) -> str | None:
        return "float64" if home in {"numpy", "pandas"} else self.default_float

    def _of_home(self, dtype: str, home: str) -> str:
        return "float64" if dtype == "float32?" and home == "numpy" else dtype

    def _meaning(self, row: Operation, arguments: Arguments, data: Data, result: Data, spot: Spot) -> Data:
        if row.name in _SCORES:
            return replace(result, maker=Maker.LINEAR, maker_at=spot, outputs_last=row.name == "linear")
        if "probabilities" in row.meaning:
            maker = Maker.SOFTMAX if "distribution" in row.meaning else Maker.SIGMOID
            axis = arguments.constant(1, "dim")
            return replace(result, maker=maker, maker_at=spot, axis=axis if isinstance(axis, int) else None)
        if "log-probabilities" in row.meaning and row.name != "logsigmoid":
            axis = arguments.constant(1, "dim")
            made = replace(result, maker=Maker.LOG_SOFTMAX, maker_at=spot)
            return replace(made, axis=axis if isinstance(axis, int) else None)
        if _stays_scores(row, arguments, data):
            return replace(result, maker=Maker.LINEAR, maker_at=_scores_at(arguments, data))
        same = "same" in row.values or "kept" in row.meaning or "cast" in row.dtype
        if not same or row.axes & {"joined", "stacked", "picked"} or "looked-up" in row.values:
            return result
        cast = result.dtype != data.dtype
        if cast and (result.dtype is None or data.dtype is None or is_whole(result.dtype)):
            return result
        axis = _axis_after(row, data)
        last = data.outputs_last and _keeps_last(row, data, result)
        return replace(result, maker=data.maker, maker_at=data.maker_at, axis=axis, outputs_last=last)

    def _from_data(self, name: str, home: str, arguments: Arguments, spot: Spot) -> Value:
        """`torch.tensor(x)`, `np.array(x)`, `torch.Tensor(x)`: numbers that are given become a tensor or an array."""
        given = arguments.get(0, "data", "object", "obj")
        kind = "tensor" if home == "torch" else "array"
        dtype = None
        if name in _CONSTRUCTORS:
            exact = {"Tensor": self.default_float, "FloatTensor": "float32", "DoubleTensor": "float64"}
            dtype = exact.get(name) or {"LongTensor": "int64", "IntTensor": "int32", "ByteTensor": "uint8"}.get(name)
            if not isinstance(given, Seq | Data) and not isinstance(given, Unknown):
                # Numbers are sizes here.
                shape = arguments.sizes(0) if given is not None else (0,)
                return Data(kind=kind, dtype=dtype, shape=shape, device=self.device, dtype_at=spot, shape_at=spot)
            if len(arguments.args) > 1 or isinstance(given, Unknown):
                return Data(kind=kind, dtype=dtype, device=self.device, dtype_at=spot)
        elif (asked := arguments.dtype or _second_dtype(name, arguments)) is not None:
            dtype = None if asked == "?" else _numpy_words(asked, home, arguments)
        device = self.device if "device" not in arguments.kwargs else None
        if isinstance(given, Data):
            own = dtype is None and arguments.dtype is None and name not in _CONSTRUCTORS
            made = replace(given, kind=kind, device=device, maker=None if kind == "array" else given.maker)
            if own:
                return made
            made = replace(made, dtype=dtype, dtype_at=spot, maker=None)
            return recast(given, made)
        items = literal(given)
        if items is None:
            shape = _sequence_shape(given)
            found = dtype or self._of_elements(given, home) if arguments.dtype != "?" else None
            made = Data(kind=kind, dtype=found, shape=shape, device=device, dtype_at=spot, shape_at=spot)
            element = given if isinstance(given, Number) else element_of(given) if isinstance(given, Seq) else None
            return _like_elements(made, element)
        natural = _literal_dtype(items, home, self.default_float)
        known = dtype or (natural if arguments.dtype is None and name not in _CONSTRUCTORS else None)
        return with_items(Data(kind=kind, dtype=known, device=device, dtype_at=spot, shape_at=spot), items)

    def _of_elements(self, given: Value | None, home: str) -> str | None:
        """The dtype that a number or a sequence of equal things makes."""
        element = given.element if isinstance(given, Seq) and given.items is None else given
        if isinstance(given, Seq) and given.items:
            elements = {self._of_elements(Seq("list", None, item), home) for item in given.items}
            return _widest(elements)
        if isinstance(element, Const):
            return _literal_dtype(element.value, home, self.default_float)
        if isinstance(element, Seq):
            return self._of_elements(element, home)
        kind = None if element is None else number_kind(element)
        if kind is not None:
            return {Whole: "int64", Truth: "bool"}.get(kind) or self._float(home)
        is_number = isinstance(element, Data) and (
            element.kind == "number" or (element.kind == "array" and home == "numpy")
        )
        return element.dtype if is_number and isinstance(element, Data) else None


def _widest(dtypes: set[str | None]) -> str | None:
    """The dtype that a sequence of numbers gets, of which some are whole and some are not."""
    if len(dtypes) == 1:
        return dtypes.pop()
    floats = [dtype for dtype in dtypes if dtype is not None and is_floating(dtype)]
    return floats[0] if len(floats) == 1 and None not in dtypes and dtypes - set(floats) <= {"int64", "bool"} else None


def _like_elements(made: Data, element: Value | None) -> Data:
    """What is known of numbers by what each of them is."""
    if isinstance(element, Seq):
        return _like_elements(made, element_of(element))
    if isinstance(element, Data):
        if element.kind == "number":
            made = recast_numbers(
                replace(made, holds=element.holds, complete=element.complete, missing=element.missing)
            )
        return replace(made, fractional=False) if element.fractional is False else made
    if element is None or number_kind(element) is None:
        return made
    fractional = None if number_kind(element) is Fraction else False
    complete = isinstance(element, Number) and element.complete
    return recast_numbers(replace(made, holds=numbers_of(element), complete=complete, fractional=fractional))


def _drawn_dtype(arguments: Arguments) -> str | None:
    """The dtype of what is drawn: a number stands for all below it."""
    given = arguments.get(0, "a")
    if isinstance(given, Const) and type(given.value) is int:
        return "int64"
    items = literal(given) if isinstance(given, Seq) else None
    return given.dtype if isinstance(given, Data) else None if items is None else _literal_dtype(items, "numpy", None)


def _looks_like_device(arguments: Arguments) -> bool:
    """Whether what `to` is given can be nothing but a device: it is called one."""
    return all(isinstance(value, Unknown) and "device" in value.name.lower() for value in arguments.args[1:2])


def _second_dtype(name: str, arguments: Arguments) -> str | None:
    given = arguments.get(1) if name in {"array", "asarray"} else None
    return None if given is None else dtype_named(given, "numpy") or "?"


def _numpy_words(asked: str, home: str, arguments: Arguments) -> str:
    given = arguments.kwargs.get("dtype") or (arguments.args[1] if len(arguments.args) > 1 else None)
    named = dtype_named(given, home) if given is not None else None
    return named or asked


def _literal_dtype(items: Any, home: str, default_float: str | None) -> str | None:
    flat = list(flatten(items))
    if not flat:
        return "float64" if home == "numpy" else default_float
    if all(isinstance(item, bool) for item in flat):
        return "bool"
    if any(isinstance(item, float) for item in flat):
        return "float64" if home == "numpy" else default_float
    return "int64" if all(isinstance(item, int) for item in flat) else None


def _sequence_shape(given: Value | None) -> Any:
    if given is not None and number_kind(given) is not None:
        return ()
    if isinstance(given, Data):
        return given.shape
    if isinstance(given, Seq):
        inner = _sequence_shape(given.items[0] if given.items else given.element)
        size = len(given.items) if given.items is not None else Symbol("n", plural=True)
        return None if inner is None or any(isinstance(each, Symbol) for each in inner) else (size, *inner)
    return None


def _stays_scores(row: Operation, arguments: Arguments, data: Data) -> bool:
    """Whether scores went in, all of them, and scores come out: a mean of them, or several put together."""
    if row.axes & {"joined", "stacked"}:
        parts = _parts_of(arguments.get(0, "tensors", "arrays"))
        return bool(parts) and all(isinstance(part, Data) and part.maker is Maker.LINEAR for part in parts)
    return "linear" in row.meaning and data.maker is Maker.LINEAR


def _scores_at(arguments: Arguments, data: Data) -> Spot | None:
    parts = _parts_of(arguments.get(0, "tensors", "arrays"))
    return parts[0].maker_at if parts and isinstance(parts[0], Data) else data.maker_at


def _parts_of(given: Value | None) -> list[Value]:
    if not isinstance(given, Seq):
        return []
    return list(given.items or ()) or ([given.element] if given.element is not None else [])


def _axis_after(row: Operation, data: Data) -> int | None:
    """The axis of a softmax after a move of the axes; None where it is not sure."""
    if data.axis is None or row.axes <= {"as-given"}:
        return data.axis
    return None


def _keeps_last(row: Operation, data: Data, result: Data) -> bool:
    if row.axes <= {"as-given"}:
        return True
    return "viewed" in row.axes and bool(data.shape and result.shape and data.shape[-1] == result.shape[-1])


def _common_dtype(given: Value | None) -> tuple[str | None, Spot | None]:
    parts = _parts_of(given)
    dtypes = {part.dtype if isinstance(part, Data) else None for part in parts}
    found = dtypes.pop() if len(dtypes) == 1 else None
    at = parts[0].dtype_at if parts and isinstance(parts[0], Data) else None
    return found, at


def promoted(operands: list[Value], default_float: str | None) -> str | None:
    """The dtype that arithmetic on these gives; None where it is not sure."""
    tensors = [operand for operand in operands if isinstance(operand, Data)]
    numbers = [operand.value for operand in operands if isinstance(operand, Const)]
    known = [tensor.dtype for tensor in tensors if tensor.dtype is not None]
    plain = all(isinstance(number, bool | int | float) for number in numbers)
    if not known or len(known) + len(numbers) < len(operands) or not plain or len({each.kind for each in tensors}) > 1:
        return None
    floats = [dtype for dtype in known if is_floating(dtype)]
    if not floats and any(isinstance(number, float) for number in numbers):
        return "float64" if tensors[0].kind in {"array", "series", "frame", "number"} else default_float
    if len(set(known)) == 1:
        if known[0] == "bool" and numbers:
            return "int64" if all(isinstance(number, int) for number in numbers) else None
        return known[0]
    return _wider(known, floats, tensors)


def _wider(known: list[str], floats: list[str], tensors: list[Data]) -> str | None:
    """The dtype that holds two different ones; a tensor without axes may not count."""
    if len(floats) == 1 and tensors[0].kind == "tensor":
        return floats[0]
    scalar = any(tensor.shape is None or tensor.shape == () for tensor in tensors)
    if scalar or any(dtype not in _ORDER for dtype in known) or set(known) & {"uint8", "float16", "bfloat16"}:
        return None
    return max(known, key=_ORDER.index)


def _of_table(data: Data) -> Shape | None:
    """The shape of a table as an array: rows and columns."""
    return (Symbol("n", plural=True), Symbol("k")) if data.kind == "frame" else None


def attribute(data: Data, name: str, spot: Spot) -> Value | None:
    """An attribute of data: its shape, dtype or transpose; None if it is something else."""
    if name in {"T", "mT"}:
        known = data.shape is not None and len(data.shape) == 2
        shape = turned(data.shape) if known or name == "mT" else None
        return replace(data, shape=shape, items=None, axis=None, outputs_last=False, one_hot=False, shape_at=spot)
    if name in {"data", "real"}:
        return data
    if name in {"values", "array"} and data.kind in {"series", "frame"}:
        return replace(data, kind="array", shape=data.shape or _of_table(data), columns={})
    return Bound(data, name)


def softmax_axis(data: Data) -> int | None:
    """The axis of a softmax, counted from 0; None if the rank or the axis is not known."""
    return None if data.shape is None else axis_of(data.axis, len(data.shape))


__all__ = ["Effects", "attribute", "first", "flatten", "promoted", "softmax_axis", "with_items"]
