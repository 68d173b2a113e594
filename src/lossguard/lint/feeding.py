"""What feeds a loss: loaders, datasets, tables that are read, and the builtins that hand things on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from lossguard.contracts.dtypes import is_whole
from lossguard.lint.arguments import Arguments
from lossguard.lint.joining import element_of
from lossguard.lint.values import (
    Class,
    Const,
    Data,
    Fraction,
    Function,
    Instance,
    Library,
    Loader,
    NamedTuple,
    Number,
    Partial,
    Seq,
    Size,
    Symbol,
    Table,
    Truth,
    Unknown,
    Value,
    Whole,
    replace,
)

Feeder = Callable[[Any, Arguments], Value]
MOST_ITEMS: Final = 8
_LONGEST_TEXT: Final = 1000


def iterated(interpreter: Any, value: Value) -> Value:
    """What each turn of a loop over this value gets."""
    value = letters(value)
    if isinstance(value, Seq):
        return element_of(value) or Unknown()
    if isinstance(value, Loader):
        return value.element
    if isinstance(value, Data) and value.kind == "series":
        return replace(value, kind="number", shape=(), items=None)
    if isinstance(value, Data) and value.kind in {"tensor", "array"}:
        shape = value.shape[1:] if value.shape else None
        return replace(value, shape=shape, items=None, holds=(), complete=False, maker=None, one_hot=False)
    if isinstance(value, Instance) and isinstance(value.cls, Class):
        if (method := method_of(value, "__iter__")) is not None:
            given: Value = interpreter.call(method, (), {})
            return Unknown() if given is value else iterated(interpreter, given)
        return item_of(interpreter, value)
    if isinstance(value, Table):
        return Unknown()
    return Unknown()


def letters(value: Value) -> Value:
    """A text that is written down as the sequence of its letters; anything else as it is."""
    text = value.value if isinstance(value, Const) else None
    return Seq("list", tuple(map(Const, text))) if isinstance(text, str) and len(text) <= _LONGEST_TEXT else value


def method_of(instance: Value, name: str) -> Function | None:
    """A method of an object of the project."""
    if isinstance(instance, Instance) and isinstance(instance.cls, Class):
        for each in instance.cls.lineage():
            if name in each.methods:
                return Function(each.methods[name], each.module, each.scope, instance, each)
    return None


def item_of(interpreter: Any, dataset: Value) -> Value:
    """What an index into a dataset gives."""
    if isinstance(dataset, Loader):
        return dataset.item or dataset.element
    if (method := method_of(dataset, "__getitem__")) is not None:
        found: Value = interpreter.call(method, (_index_into(interpreter, dataset),), {})
        return found
    if method_of(dataset, "__iter__") is not None:
        return iterated(interpreter, dataset)
    if isinstance(dataset, Seq):
        return element_of(dataset) or Unknown()
    return Unknown()


def _index_into(interpreter: Any, dataset: Value) -> Value:
    """The index that a loader gives to a dataset: each number below its length."""
    method = method_of(dataset, "__len__")
    length = interpreter.call(method, (), {}) if method is not None else None
    if isinstance(length, Const) and isinstance(length.value, int) and length.value > 1:
        return Whole("index", holds=(0, length.value - 1), complete=True)
    return Whole("index")


def collated(item: Value, batch: Size) -> Value:
    """A batch of such items, as the default collate function makes it."""
    if isinstance(item, Data) and item.kind in {"tensor", "array", "number"}:
        shape = None if item.shape is None else (batch, *item.shape)
        made = replace(item, kind="tensor", shape=shape, items=None, maker=None, axis=None)
        return replace(made, outputs_last=False, device="cpu" if item.device in {None, "cpu"} else None)
    if isinstance(item, Const) and isinstance(item.value, bool | int | float):
        dtype = "bool" if isinstance(item.value, bool) else "int64" if isinstance(item.value, int) else "float64"
        return Data(dtype=dtype, shape=(batch,), device="cpu", holds=(item.value,), fractional=None)
    if isinstance(item, Number) and type(item) in _DTYPES:
        made = Data(dtype=_DTYPES[type(item)], shape=(batch,), device="cpu", holds=item.holds, complete=item.complete)
        return made if isinstance(item, Fraction) else replace(made, fractional=False)
    if isinstance(item, Seq) and item.items is not None and len(item.items) <= MOST_ITEMS:
        kind = "tuple" if item.names else "list"
        return Seq(kind, tuple(collated(part, batch) for part in item.items), names=item.names)
    if isinstance(item, Table):
        return Table({key: collated(value, batch) for key, value in item.items.items()})
    return Unknown()


def _data_loader(interpreter: Any, arguments: Arguments) -> Value:
    dataset = arguments.get(0, "dataset")
    if "batch_sampler" in arguments.kwargs or dataset is None:
        return Loader(Unknown())
    size = arguments.constant(1, "batch_size", default=1)
    item = item_of(interpreter, dataset)
    collate = arguments.kwargs.get("collate_fn", Const(None))
    if size is None:
        return Loader(item)
    if collate != Const(None):
        return Loader(interpreter.apply(collate, Seq("list", None, item)))
    return Loader(collated(item, 1 if size == 1 else Symbol("B", plural=True)))


def _tensor_dataset(_interpreter: Any, arguments: Arguments) -> Value:
    items: list[Value] = []
    for value in arguments.args:
        if not isinstance(value, Data):
            items.append(Unknown())
            continue
        shape = value.shape[1:] if value.shape else None
        items.append(replace(value, shape=shape, items=None, maker=None))
    item = Seq("tuple", tuple(items))
    return Loader(item, item)


def _same_dataset(interpreter: Any, arguments: Arguments) -> Value:
    dataset = arguments.get(0, "dataset")
    item = Unknown() if dataset is None else item_of(interpreter, dataset)
    return Loader(item, item)


def _concatenated(interpreter: Any, arguments: Arguments) -> Value:
    parts = arguments.get(0, "datasets")
    items = [item_of(interpreter, part) for part in parts.items or ()] if isinstance(parts, Seq) else []
    item = element_of(Seq("list", tuple(items))) or Unknown()
    return Loader(item, item)


def _random_split(interpreter: Any, arguments: Arguments) -> Value:
    part = _same_dataset(interpreter, arguments)
    lengths = arguments.get(1, "lengths")
    number = len(lengths.items) if isinstance(lengths, Seq) and lengths.items is not None else None
    return Seq("list", (part,) * number) if number is not None else Seq("list", None, part)


def _train_test_split(_interpreter: Any, arguments: Arguments) -> Value:
    parts: list[Value] = []
    for value in arguments.args:
        part: Value = Unknown()
        if isinstance(value, Data):
            shape = (Symbol("n", plural=True), *value.shape[1:]) if value.shape else None
            part = replace(value, shape=shape, items=None)
        parts.extend((part, part))
    return Seq("list", tuple(parts))


def _read_table(_interpreter: Any, _arguments: Arguments) -> Value:
    return Data(kind="frame")


def _handed_on(_interpreter: Any, arguments: Arguments) -> Value:
    return arguments.args[0] if arguments.args else Unknown()


def _length(_interpreter: Any, arguments: Arguments) -> Value:
    given = arguments.args[0] if arguments.args else None
    if isinstance(given, Seq) and given.items is not None:
        return Const(len(given.items))
    if isinstance(given, Const) and isinstance(given.value, str):
        return Const(len(given.value))
    if isinstance(given, Table):
        return Const(len(given.items))
    if isinstance(given, Data) and given.shape:
        return Whole.of(given.shape[0])
    return Whole("n")


def _range(_interpreter: Any, arguments: Arguments) -> Value:
    ends = [value.value for value in arguments.args if isinstance(value, Const) and isinstance(value.value, int)]
    low, high = (0, *ends) if len(ends) == 1 else ends if len(ends) == 2 else (0, 0)
    if len(ends) == len(arguments.args) and high - low > 1:
        index = Whole("index", holds=(low, high - 1), complete=True)
        return Loader(index, length=high if low == 0 else None)
    return Loader(Whole("index"))


def _enumerate(interpreter: Any, arguments: Arguments) -> Value:
    given = letters(arguments.args[0]) if arguments.args else Unknown()
    first = arguments.constant(1, "start", default=0)
    if isinstance(given, Seq) and given.items is not None and isinstance(first, int):
        return Seq("list", tuple(Seq("tuple", (Const(n), item)) for n, item in enumerate(given.items, first)))
    return Loader(Seq("tuple", (Whole("index"), iterated(interpreter, given))))


def _zip(interpreter: Any, arguments: Arguments) -> Value:
    given = [letters(value) for value in arguments.args]
    rows = [value.items for value in given if isinstance(value, Seq) and value.items is not None]
    if rows and len(rows) == len(arguments.args):
        return Seq("list", tuple(Seq("tuple", row) for row in zip(*rows, strict=False)))
    return Loader(Seq("tuple", tuple(iterated(interpreter, value) for value in arguments.args)))


def unzipped(value: Value) -> Value | None:
    """What `zip(*samples)` gives: a tuple for each place in a sample; None if it is not known how many there are."""
    sample = element_of(value)
    if not isinstance(sample, Seq) or sample.items is None:
        return None
    return Seq("list", tuple(Seq("tuple", None, part) for part in sample.items))


def _mapped(interpreter: Any, arguments: Arguments) -> Value:
    if len(arguments.args) != 2:
        return Unknown()
    function, given = arguments.args
    if isinstance(given, Seq) and given.items is not None and len(given.items) <= MOST_ITEMS:
        return Seq("list", tuple(interpreter.apply(function, item) for item in given.items))
    return Loader(interpreter.apply(function, iterated(interpreter, given)))


def _filtered(interpreter: Any, arguments: Arguments) -> Value:
    return Loader(iterated(interpreter, arguments.args[1])) if len(arguments.args) == 2 else Unknown()


def _partial(_interpreter: Any, arguments: Arguments) -> Value:
    if not arguments.args:
        return Unknown()
    return Partial(arguments.args[0], arguments.args[1:], arguments.kwargs)


def _reduced(interpreter: Any, arguments: Arguments) -> Value:
    if len(arguments.args) != 3:
        return Unknown()
    function, steps, value = arguments.args
    items = steps.items if isinstance(steps, Seq) else None
    for item in items or ():
        value = interpreter.apply(function, value, item)
    return value if items else Unknown()


def _dict(_interpreter: Any, arguments: Arguments) -> Value:
    given = arguments.args[0] if arguments.args else Table({})
    return Table({**given.items, **arguments.kwargs}) if isinstance(given, Table) else Unknown()


def _bool(_interpreter: Any, arguments: Arguments) -> Value:
    given = arguments.args[0] if arguments.args else None
    return Const(bool(given.value)) if isinstance(given, Const) else Truth(holds=(0, 1), complete=True)


def _random_whole(_interpreter: Any, arguments: Arguments, *, closed: bool) -> Value:
    ends = [value.value for value in arguments.args if isinstance(value, Const) and isinstance(value.value, int)]
    if len(ends) != len(arguments.args) or not 1 <= len(ends) <= 2:
        return Whole("n")
    low, high = (0, *ends) if len(ends) == 1 else ends
    high = high if closed else high - 1
    return Whole("n", holds=(low, high), complete=True) if high > low else Whole("n")


def _choice(_interpreter: Any, arguments: Arguments) -> Value:
    return (element_of(arguments.args[0]) if arguments.args else None) or Unknown()


def _random(_interpreter: Any, _arguments: Arguments) -> Value:
    return Fraction("x")


def _named_tuple(_interpreter: Any, arguments: Arguments) -> Value:
    given = arguments.get(1, "field_names")
    names: tuple[Any, ...] = ()
    if isinstance(given, Const) and isinstance(given.value, str):
        names = tuple(given.value.replace(",", " ").split())
    elif isinstance(given, Seq) and given.items is not None:
        names = tuple(item.value for item in given.items if isinstance(item, Const))
    return NamedTuple(names) if names and all(isinstance(name, str) for name in names) else Unknown()


def _next(interpreter: Any, arguments: Arguments) -> Value:
    return iterated(interpreter, arguments.args[0]) if arguments.args else Unknown()


def _list(interpreter: Any, arguments: Arguments) -> Value:
    if not arguments.args:
        return Seq("list", ())
    given = letters(arguments.args[0])
    return (
        Seq("list", given.items, given.element)
        if isinstance(given, Seq)
        else Seq("list", None, iterated(interpreter, given))
    )


def _tuple(interpreter: Any, arguments: Arguments) -> Value:
    made = _list(interpreter, arguments)
    return replace(made, kind="tuple") if isinstance(made, Seq) else made


def _int(_interpreter: Any, arguments: Arguments) -> Value:
    given = arguments.args[0] if arguments.args else None
    if isinstance(given, Const) and isinstance(given.value, int | float) and abs(given.value) < 1 << 62:
        return Const(int(given.value))
    if isinstance(given, Whole):
        return given
    known = isinstance(given, Truth) or (isinstance(given, Data) and is_whole(given.dtype or ""))
    return Whole("n", holds=given.holds, complete=given.complete) if known else Whole("n")  # type: ignore[union-attr] # seen


def _float(_interpreter: Any, arguments: Arguments) -> Value:
    given = arguments.args[0] if arguments.args else None
    if isinstance(given, Const):
        try:
            return Const(float(given.value))
        except (TypeError, ValueError, OverflowError):
            return Unknown()
    return Fraction("x", holds=given.holds, complete=given.complete) if isinstance(given, Number) else Fraction("x")


def _is_instance(_interpreter: Any, arguments: Arguments) -> Value:
    if len(arguments.args) != 2:
        return Unknown()
    value, kinds = arguments.args
    own = _type_of(value)
    named = kinds.items if isinstance(kinds, Seq) else (kinds,)
    if own is None or named is None or not all(isinstance(kind, Library) for kind in named):
        return Unknown()
    names = {kind.name.rpartition(".")[2] for kind in named if isinstance(kind, Library)}
    return Const(own in names) if names <= _PLAIN_TYPES else Unknown()


def _type_of(value: Value) -> str | None:
    """The type of Python, torch or numpy that a value has."""
    if isinstance(value, Seq):
        return value.kind if not value.names else None
    if isinstance(value, Data):
        return {"tensor": "Tensor", "array": "ndarray"}.get(value.kind or "")
    return "dict" if isinstance(value, Table) else None


def _extreme(choose: Callable[..., Any], _interpreter: Any, arguments: Arguments) -> Value:
    given = (
        arguments.args[0].items if len(arguments.args) == 1 and isinstance(arguments.args[0], Seq) else arguments.args
    )
    numbers = [
        value.value for value in given or () if isinstance(value, Const) and isinstance(value.value, int | float)
    ]
    if not numbers or len(numbers) != len(given or ()) or arguments.kwargs:
        return Unknown()
    return Const(choose(numbers))


_DTYPES: Final = {Whole: "int64", Fraction: "float64", Truth: "bool"}
_PLAIN_TYPES: Final = frozenset({"list", "tuple", "dict", "Tensor", "ndarray", "str", "int", "float"})
FEEDERS: Final[Mapping[str, Feeder]] = {
    "DataLoader": _data_loader,
    "TensorDataset": _tensor_dataset,
    "Subset": _same_dataset,
    "ConcatDataset": _concatenated,
    "random_split": _random_split,
    "train_test_split": _train_test_split,
    "read_csv": _read_table,
    "read_parquet": _read_table,
    "tqdm": _handed_on,
    "trange": _range,
    "partial": _partial,
    "reduce": _reduced,
    "deepcopy": _handed_on,
    "namedtuple": _named_tuple,
    "OrderedDict": _dict,
    "cycle": _handed_on,
    "islice": _handed_on,
    "randrange": partial(_random_whole, closed=False),
    "random.randint": partial(_random_whole, closed=True),
    "random.random": _random,
    "random.uniform": _random,
    "random.gauss": _random,
    "random.choice": _choice,
}
BUILTINS: Final[Mapping[str, Feeder]] = {
    "len": _length,
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "next": _next,
    "iter": _handed_on,
    "list": _list,
    "tuple": _tuple,
    "sorted": _list,
    "int": _int,
    "float": _float,
    "isinstance": _is_instance,
    "map": _mapped,
    "max": partial(_extreme, max),
    "min": partial(_extreme, min),
    "sum": partial(_extreme, sum),
    "filter": _filtered,
    "dict": _dict,
    "bool": _bool,
    "reversed": _list,
}
