"""What feeds a loss: loaders, datasets, tables that are read, and the builtins that hand things on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from lossguard.lint.arguments import Arguments, size_of
from lossguard.lint.values import (
    Class,
    Const,
    Data,
    Fraction,
    Function,
    Instance,
    Loader,
    Seq,
    Size,
    Symbol,
    Table,
    Unknown,
    Value,
    Whole,
    element_of,
    replace,
)

Feeder = Callable[[Any, Arguments], Value]
_MOST_ITEMS: Final = 8


def iterated(interpreter: Any, value: Value) -> Value:
    """What each turn of a loop over this value gets."""
    if isinstance(value, Seq):
        return element_of(value) or Unknown()
    if isinstance(value, Loader):
        return value.element
    if isinstance(value, Data) and value.kind in {"tensor", "array"}:
        shape = value.shape[1:] if value.shape else None
        return replace(value, shape=shape, items=None, holds=(), complete=False, maker=None, one_hot=False)
    if isinstance(value, Instance) and isinstance(value.cls, Class):
        return item_of(interpreter, value)
    return Unknown()


def item_of(interpreter: Any, dataset: Value) -> Value:
    """What an index into a dataset gives."""
    if isinstance(dataset, Loader):
        return dataset.item or dataset.element
    if isinstance(dataset, Instance) and isinstance(dataset.cls, Class):
        for each in dataset.cls.lineage():
            if "__getitem__" in each.methods:
                method = Function(each.methods["__getitem__"], each.module, each.scope, dataset, each)
                found: Value = interpreter.call(method, (Whole("index"),), {})
                return found
    if isinstance(dataset, Seq):
        return element_of(dataset) or Unknown()
    return Unknown()


def collated(item: Value, batch: Size) -> Value:
    """A batch of such items, as the default collate function makes it."""
    if isinstance(item, Data) and item.kind in {"tensor", "array", "number"}:
        shape = None if item.shape is None else (batch, *item.shape)
        made = replace(item, kind="tensor", shape=shape, items=None, maker=None, axis=None)
        return replace(made, outputs_last=False, device="cpu" if item.device in {None, "cpu"} else None)
    if isinstance(item, Const) and isinstance(item.value, bool | int | float):
        dtype = "bool" if isinstance(item.value, bool) else "int64" if isinstance(item.value, int) else "float64"
        return Data(dtype=dtype, shape=(batch,), device="cpu", holds=(item.value,), fractional=None)
    if isinstance(item, Whole):
        return Data(dtype="int64", shape=(batch,), device="cpu", fractional=False)
    if isinstance(item, Fraction):
        return Data(dtype="float64", shape=(batch,), device="cpu")
    if isinstance(item, Seq) and item.items is not None and len(item.items) <= _MOST_ITEMS:
        return Seq("list", tuple(collated(part, batch) for part in item.items))
    if isinstance(item, Table):
        return Table({key: collated(value, batch) for key, value in item.items.items()})
    return Unknown()


def _data_loader(interpreter: Any, arguments: Arguments) -> Value:
    dataset = arguments.get(0, "dataset")
    if "collate_fn" in arguments.kwargs or "batch_sampler" in arguments.kwargs or dataset is None:
        return Loader(Unknown())
    size = arguments.constant(1, "batch_size", default=1)
    item = item_of(interpreter, dataset)
    if size is None:
        return Loader(item)
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
    if isinstance(given, Data) and given.shape:
        return Whole.of(given.shape[0])
    return Whole("n")


def _range(_interpreter: Any, _arguments: Arguments) -> Value:
    return Loader(Whole("index"))


def _enumerate(interpreter: Any, arguments: Arguments) -> Value:
    inner = iterated(interpreter, arguments.args[0]) if arguments.args else Unknown()
    return Loader(Seq("tuple", (Whole("index"), inner)))


def _zip(interpreter: Any, arguments: Arguments) -> Value:
    return Loader(Seq("tuple", tuple(iterated(interpreter, value) for value in arguments.args)))


def _next(interpreter: Any, arguments: Arguments) -> Value:
    return iterated(interpreter, arguments.args[0]) if arguments.args else Unknown()


def _list(interpreter: Any, arguments: Arguments) -> Value:
    if not arguments.args:
        return Seq("list", ())
    given = arguments.args[0]
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
    size = None if given is None else size_of(given)
    return Whole.of(size) if isinstance(given, Whole) and size is not None else Whole("n")


def _float(_interpreter: Any, arguments: Arguments) -> Value:
    given = arguments.args[0] if arguments.args else None
    if isinstance(given, Const):
        try:
            return Const(float(given.value))
        except (TypeError, ValueError, OverflowError):
            return Unknown()
    return Fraction("x")


def _is_instance(_interpreter: Any, _arguments: Arguments) -> Value:
    return Unknown()


FEEDERS: Final[Mapping[str, Feeder]] = {
    "DataLoader": _data_loader,
    "TensorDataset": _tensor_dataset,
    "Subset": _same_dataset,
    "random_split": _random_split,
    "train_test_split": _train_test_split,
    "read_csv": _read_table,
    "read_parquet": _read_table,
    "DataFrame": _read_table,
    "tqdm": _handed_on,
    "trange": _range,
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
}
