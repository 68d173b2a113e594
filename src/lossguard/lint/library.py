"""Calls: of functions and classes of the project, of layers and losses, of what libraries bring."""

from __future__ import annotations

import ast
from typing import Any, Final

from lossguard.facts.facts import Maker
from lossguard.lint.arguments import Arguments, as_data, dtype_named
from lossguard.lint.feeding import BUILTINS, FEEDERS, iterated
from lossguard.lint.frames import as_column, frame_of, mapped
from lossguard.lint.images import IMAGE, as_array, of_image, pillow
from lossguard.lint.interpreter import Interpreter
from lossguard.lint.judging import find_loss, judge_function, judge_method, judge_module, looks_called_as_function
from lossguard.lint.layers import LAYERS, recurrent
from lossguard.lint.samples import SAMPLES, samples
from lossguard.lint.values import (
    Bound,
    Class,
    Const,
    Data,
    DType,
    Function,
    Instance,
    Library,
    Loader,
    NamedTuple,
    Partial,
    Seq,
    Shape,
    Size,
    Spot,
    Symbol,
    Table,
    Truth,
    Unknown,
    Value,
    Whole,
    number_kind,
    numbers_of,
    replace,
    size_of_unknown,
)
from lossguard.lint.valuing import recast, recast_numbers
from lossguard.operations.table import find

Kwargs = dict[str, Value]
#: Whose calls feed a loss.
_FEEDING: Final = frozenset(
    {"torch", "sklearn", "pandas", "tqdm", "itertools", "functools", "copy", "collections", "random"}
)
#: Methods of a module that give the module itself.
_ITSELF: Final = frozenset({"to", "cuda", "cpu", "eval", "train", "float", "double", "half", "requires_grad_", "apply"})
#: What only a tensor has, and a loss module that was made in its place has not.
_OF_TENSORS: Final = frozenset({"backward", "item", "detach", "cpu", "mean", "sum"})
#: Methods whose names say what they give, whatever they are called on.
_TELLING: Final = frozenset({"float", "double", "half", "long", "int", "bool", "short", "byte", "char", "bfloat16"})
#: Words for what is in no text.
_SPECIAL: Final = frozenset(
    {"pad", "padding", "blank", "unk", "unknown", "ignore", "ignored", "void", "bos", "eos", "mask", "cls", "sep"}
)
#: Methods of texts that give texts, truth values or lists of texts.
_OF_TEXTS: Final = frozenset(
    {"split", "rsplit", "splitlines", "lower", "upper", "strip", "lstrip", "rstrip", "replace", "title", "capitalize"}
    | {"startswith", "endswith", "isdigit", "isalpha", "removeprefix", "removesuffix"}
)
_LONGEST_TEXT: Final = 10_000
_TELLING_MEANING: Final = frozenset({"softmax", "log_softmax", "sigmoid"})


def call_value(
    interpreter: Interpreter, function: Value, args: tuple[Value, ...], kwargs: Kwargs, node: ast.Call
) -> Value:
    """What calling this value gives."""
    if isinstance(function, Library):
        return _call_library(interpreter, function.name, args, kwargs, node)
    if isinstance(function, Function):
        return interpreter.call(function, args, kwargs)
    if isinstance(function, Bound):
        return _call_bound(interpreter, function, args, kwargs, node)
    if isinstance(function, Instance):
        return call_instance(interpreter, function, args, kwargs, node)
    if isinstance(function, Const) and isinstance(function.value, DType):
        return _scalar(function.value.name, args, interpreter.frame.spot(node))
    if isinstance(function, Partial):
        return call_value(interpreter, function.function, (*function.args, *args), {**function.kwargs, **kwargs}, node)
    if isinstance(function, NamedTuple):
        return function.made(args, kwargs)
    if isinstance(function, Class):
        if any(name.endswith("NamedTuple") for name in function.libraries()):
            return NamedTuple(function.fields(), interpreter.class_body(function)).made(args, kwargs)
        instance = Instance(function, args, kwargs, interpreter.frame.spot(node))
        interpreter.initialise(instance, args, kwargs)
        return instance
    return Unknown()


def _call_library(
    interpreter: Interpreter, name: str, args: tuple[Value, ...], kwargs: Kwargs, node: ast.Call
) -> Value:
    home, _, rest = name.partition(".")
    last = name.rpartition(".")[2]
    arguments = Arguments(args, kwargs)
    if home == "builtins":
        handler = BUILTINS.get(last)
        return handler(interpreter, arguments) if handler is not None else _builtin(interpreter, last)
    if (feeder := FEEDERS.get(name if home == "random" else last)) is not None and home in _FEEDING:
        return feeder(interpreter, arguments)
    if home != "torch":
        return _call_elsewhere(interpreter, name, arguments, node)
    if rest == "device":
        return args[0] if args else Unknown("device")
    if rest.startswith(("nn.functional.", "nn.utils.", "special.")) or "." not in rest:
        loss = find_loss(last, is_class=False, home="torch.nn.functional" if "." in rest else "torch")
        if loss is not None:
            return judge_function(interpreter, loss, args, kwargs, node)
        return interpreter.effects.call(last, "torch", arguments, interpreter.frame.spot(node))
    if rest.startswith("nn.") and last[:1].isupper():
        return _make_layer(interpreter, name, args, kwargs, node)
    return Truth(last) if last == "is_available" else Unknown()


def _call_elsewhere(interpreter: Interpreter, name: str, arguments: Arguments, node: ast.Call) -> Value:
    """A call of numpy, pandas or another library that is not torch."""
    home, last, spot = name.partition(".")[0], name.rpartition(".")[2], interpreter.frame.spot(node)
    if name == "pandas.DataFrame":
        return frame_of(arguments, spot)
    if name == "pandas.Series" and arguments.args:
        return as_column(arguments.args[0], spot)
    if home == "PIL":
        return pillow(interpreter, name, arguments)
    if home == "numpy" and arguments.args and isinstance(image := arguments.args[0], Instance) and image.cls == IMAGE:
        arguments = Arguments((as_array(interpreter, image, spot), *arguments.args[1:]), arguments.kwargs)
    if home == "sklearn" and last in SAMPLES:
        return samples(last, arguments)
    if last in {"default_rng", "RandomState"}:
        return Instance("numpy.random.Generator")
    if home in {"numpy", "pandas"}:
        return interpreter.effects.call(last, home, arguments, spot)
    is_class = last[:1].isupper() or name == "dataclasses.field"
    return Instance(name, arguments.args, arguments.kwargs) if is_class else Unknown()


def _scalar(dtype: str, args: tuple[Value, ...], spot: Spot) -> Value:
    """`np.float32(x)`: a number of numpy, or an array of what is given."""
    given = args[0] if args else None
    if isinstance(given, Data):
        return recast(given, replace(given, dtype=dtype, dtype_at=spot))
    if given is None or number_kind(given) is None:
        return Data(kind=None, dtype=dtype, dtype_at=spot)
    return recast_numbers(Data(kind="number", dtype=dtype, shape=(), holds=numbers_of(given), dtype_at=spot))


def _builtin(interpreter: Interpreter, name: str) -> Value:
    if name == "super" and interpreter.frame.receiver is not None:
        return Bound(interpreter.frame.receiver, "super")
    return Const(None) if name == "print" else Unknown()


def _make_layer(interpreter: Interpreter, name: str, args: tuple[Value, ...], kwargs: Kwargs, node: ast.Call) -> Value:
    last = name.rpartition(".")[2]
    instance = Instance(f"torch.nn.{last}", args, kwargs, interpreter.frame.spot(node))
    loss = find_loss(last, is_class=True)
    if loss is not None and looks_called_as_function(loss, args, kwargs, node):
        judge_module(interpreter, instance, args, kwargs, node, as_function=True)
        return Unknown()
    if last in {"ModuleList", "ModuleDict"} and args:
        return args[0] if isinstance(args[0], Seq | Table) else Unknown()
    return instance


def _call_bound(
    interpreter: Interpreter, bound: Bound, args: tuple[Value, ...], kwargs: Kwargs, node: ast.Call
) -> Value:
    receiver, name = bound.receiver, bound.name
    if isinstance(receiver, Data):
        return _call_method(interpreter, receiver, name, args, kwargs, node)
    if isinstance(receiver, Bound) and receiver.name == "super" and isinstance(receiver.receiver, Instance):
        return _call_super(interpreter, receiver.receiver, name, args, kwargs)
    if isinstance(receiver, Instance):
        return _call_object(interpreter, receiver, name, args, kwargs, node)
    if isinstance(receiver, Table):
        return _of_table(receiver, name, args)
    if isinstance(receiver, Const) and isinstance(receiver.value, str):
        return _of_text(receiver.value, name, args)
    if isinstance(receiver, Unknown):
        return _call_on_unknown(interpreter, receiver, name, args, kwargs, node)
    return Unknown()


def _call_on_unknown(
    interpreter: Interpreter, receiver: Unknown, name: str, args: tuple[Value, ...], kwargs: Kwargs, node: ast.Call
) -> Value:
    """A method of something unknown: some methods tell what it is, or what comes out, by their names."""
    spot, effects = interpreter.frame.spot(node), interpreter.effects
    if name == "size" and not kwargs:
        shape = receiver.part("shape")
        shape.name = "shape"
        only = args[0] if args else None
        return shape if only is None else size_of_unknown(shape, only.value) if isinstance(only, Const) else Unknown()
    if name in _TELLING and not args and not kwargs:
        # Arrays and columns have no such methods.
        return effects.call(name, "torch", Arguments((Data(),), {}), spot)
    if name in _TELLING_MEANING:
        return effects.call(name, "torch", Arguments((Data(), *args), kwargs), spot)
    if name in {"to", "cuda", "detach", "contiguous", "clone", "cpu"}:
        return _moved(receiver, name, args, kwargs)
    if name == "astype" and args and (dtype := dtype_named(args[0], "numpy")) is not None:
        return Data(kind=None, dtype=dtype, dtype_at=spot)
    if name in {"view", "reshape", "flatten"}:
        made = effects.call(name, "any", Arguments((Data(kind=None), *args), kwargs), spot)
        return made if isinstance(made, Data) and made.shape is not None else Unknown()
    return Unknown()


def _moved(receiver: Unknown, name: str, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """An unknown thing that is moved is the same unknown thing, unless a dtype may be meant."""
    if name != "to" or (not kwargs.keys() - {"device", "non_blocking"} and not args):
        return receiver
    for given in (*args, *(value for key, value in kwargs.items() if key == "dtype")):
        if (dtype := dtype_named(given)) is not None:
            return Data(kind=None, dtype=dtype)
    return receiver if all(isinstance(value, Unknown | Const) for value in args) else Unknown()


def _call_method(
    interpreter: Interpreter, data: Data, name: str, args: tuple[Value, ...], kwargs: Kwargs, node: ast.Call
) -> Value:
    arguments = Arguments((data, *args), kwargs)
    if name in {"size", "dim"}:
        shape = data.shape
        if name == "dim":
            return Unknown() if shape is None else Const(len(shape))
        if shape is None:
            return Unknown("shape") if not args else Unknown()
        whole = Seq("tuple", tuple(map(_size_value, shape)))
        place: Any = args[0].value if args and isinstance(args[0], Const) else None
        return whole if not args else whole.items[place] if _is_place(place, shape) and whole.items else Unknown()
    if data.kind in {None, "tensor"} and find_loss(name.rstrip("_"), is_class=False) is not None:
        judged = judge_method(interpreter, data, name, args, kwargs, node)
        if judged is not None:
            return judged
    if data.kind == "series" and name in {"map", "apply"} and args:
        return mapped(interpreter, data, args[0], interpreter.frame.spot(node))
    if data.kind == "frame" and name == "drop":
        return data
    home = {"tensor": "torch", "array": "numpy", "number": "numpy", "series": "pandas", "frame": "pandas"}
    return interpreter.effects.call(name, home.get(data.kind or "", "any"), arguments, interpreter.frame.spot(node))


def _size_value(size: Size) -> Value:
    from lossguard.lint.values import Whole

    return Whole.of(size)


def _is_place(place: Any, shape: Shape) -> bool:
    return isinstance(place, int) and -len(shape) <= place < len(shape)


def _call_super(
    interpreter: Interpreter, instance: Instance, name: str, args: tuple[Value, ...], kwargs: Kwargs
) -> Value:
    if isinstance(instance.cls, str):
        return Unknown()
    lineage = list(instance.cls.lineage())
    owner = interpreter.frame.owner
    rest = lineage[lineage.index(owner) + 1 :] if owner in lineage else []
    for each in rest:
        if name in each.methods:
            return interpreter.call(Function(each.methods[name], each.module, each.scope, instance, each), args, kwargs)
    return Unknown()


def _call_object(
    interpreter: Interpreter, instance: Instance, name: str, args: tuple[Value, ...], kwargs: Kwargs, node: ast.Call
) -> Value:
    """A method of a layer, of a loss, or one that a class of the project has inherited from a library."""
    if name in {"forward", "__call__"}:
        return call_instance(interpreter, instance, args, kwargs, node)
    cls = instance.cls
    library = cls if isinstance(cls, str) else next(iter(cls.libraries()), "")
    if isinstance(cls, str) and name in _OF_TENSORS and find_loss(cls.rpartition(".")[2], is_class=True):
        if cls.startswith("torch.nn.") and name in {"backward", "item"} and len(instance.args) > 1:
            made = instance.spot.node if instance.spot is not None else node
            if isinstance(made, ast.Call):
                judge_module(interpreter, instance, instance.args, instance.kwargs, made, as_function=True)
        return Unknown()
    if name in _ITSELF and library.startswith(("torch.nn", "pytorch_lightning", "lightning")):
        return instance
    if isinstance(cls, str) and cls.rpartition(".")[2] == "LabelEncoder" and name in {"fit_transform", "transform"}:
        return Data(kind="array", dtype="int64", shape=(Symbol("n", plural=True),), fractional=False)
    if isinstance(cls, str) and cls.startswith("PIL."):
        return of_image(interpreter, instance, name, Arguments(args, kwargs))
    if cls == "numpy.random.Generator":
        return interpreter.effects.call(name, "numpy", Arguments(args, kwargs), interpreter.frame.spot(node))
    if isinstance(cls, str) and name == "fit":
        return instance
    return Unknown()


def _of_table(table: Table, name: str, args: tuple[Value, ...]) -> Value:
    if name == "get" and args and isinstance(args[0], Const):
        return table.items.get(args[0].value, Unknown())
    if name == "get" and len(args) == 1:
        return looked_up(table)
    if name == "values":
        return Seq("list", tuple(table.items.values()))
    if name == "items":
        return Seq("list", tuple(Seq("tuple", (Const(key), value)) for key, value in table.items.items()))
    return Seq("list", tuple(map(Const, table.items))) if name == "keys" else Unknown()


def _of_text(text: str, name: str, args: tuple[Value, ...]) -> Value:
    """A method of a text that is written down."""
    given = [argument.value for argument in args if isinstance(argument, Const)]
    if name not in _OF_TEXTS or len(given) < len(args) or len(text) > _LONGEST_TEXT:
        return Unknown()
    try:
        found = getattr(text, name)(*given)
    except (TypeError, ValueError):
        return Unknown()
    return Seq("list", tuple(map(Const, found))) if isinstance(found, list) else Const(found)


def looked_up(table: Table) -> Value:
    """What a key that is not known finds: any of the values, if they are numbers one after the other.

    Keys such as "<pad>" and "-" stand for what is in no text: their numbers may never come.
    """
    numbers = {
        key: value.value for key, value in table.items.items() if isinstance(value, Const) and type(value.value) is int
    }
    every = set(numbers.values())
    if len(every) < 2 or len(numbers) < len(table.items) or every != set(range(min(every), max(every) + 1)):
        return Unknown()
    sure = [number for key, number in numbers.items() if not is_special(key)]
    if len(sure) < 2:
        return Whole("code")
    ends = min(sure), max(sure)
    return Whole("code", holds=ends, complete=ends == (min(every), max(every)))


def is_special(key: object) -> bool:
    """Whether a key stands for padding, a blank or what is unknown, and for nothing that is written in a text."""
    return isinstance(key, str) and (not key.isalnum() or key.strip("_").lower() in _SPECIAL)


def call_instance(
    interpreter: Interpreter, instance: Instance, args: tuple[Value, ...], kwargs: Kwargs, node: ast.Call
) -> Value:
    """Call an object: a layer, a loss, or a module of the project through its `forward`."""
    cls = instance.cls
    if isinstance(cls, str):
        return _call_layer(interpreter, instance, cls, args, kwargs, node)
    for name in ("__call__", "forward"):
        for each in cls.lineage():
            if name in each.methods:
                method = Function(each.methods[name], each.module, each.scope, instance, each)
                return interpreter.call(method, args, kwargs)
    base = next((name for name in cls.libraries() if name.startswith("torch.nn.")), None)
    if base is not None and base.rpartition(".")[2] not in {"Module", "Sequential"}:
        return Unknown()
    return Unknown()


def _call_layer(
    interpreter: Interpreter, instance: Instance, cls: str, args: tuple[Value, ...], kwargs: Kwargs, node: ast.Call
) -> Value:
    name = cls.rpartition(".")[2]
    if not cls.startswith("torch.nn."):
        return Unknown()
    if find_loss(name, is_class=True) is not None:
        judged = judge_module(interpreter, instance, args, kwargs, node)
        if name not in {"Embedding", "EmbeddingBag"}:
            return judged
    if name == "Sequential":
        return _in_sequence(interpreter, instance, args, node)
    rows = find(name, "layer")
    if not rows or not args:
        return Unknown()
    given = args[0]
    if not isinstance(given, Data | Unknown):
        return Unknown()
    data = given if isinstance(given, Data) else Data(device=None)
    word = next(iter(rows[0].axes), "as-given" if "entry-by-entry" in rows[0].shape else "")
    output = LAYERS.get(word)
    result = Data(dtype=_kept_dtype(interpreter, data), device=data.device)
    if output is not None:
        shape = output(instance, data.shape)
        result = replace(result, shape=shape, shape_at=instance.spot if shape is not None else None)
    if word == "with-state":
        return Seq("tuple", (replace(result, shape=recurrent(instance, data.shape, name)), Unknown()))
    return _with_meaning(interpreter, name, rows[0].meaning, instance, data, result)


def _kept_dtype(interpreter: Interpreter, data: Data) -> str | None:
    """A layer gives what it is given, if that is floating; under autocast nobody knows."""
    floating = data.dtype is not None and data.dtype.startswith(("float", "bfloat"))
    return data.dtype if floating and not interpreter.frame.source.autocasts else None


def _with_meaning(
    interpreter: Interpreter, name: str, meaning: frozenset[str], instance: Instance, data: Data, result: Data
) -> Data:
    del interpreter
    if "scores" in meaning or name.startswith("ConvTranspose") or name == "Conv3d":
        return replace(result, maker=Maker.LINEAR, maker_at=instance.spot, outputs_last=name.endswith("Linear"))
    axis = Arguments(instance.args, instance.kwargs).constant(0, "dim")
    axis = axis if isinstance(axis, int) else 1 if name == "Softmax2d" else None
    if "probabilities" in meaning:
        maker = Maker.SIGMOID if name == "Sigmoid" else Maker.SOFTMAX
        return replace(result, maker=maker, maker_at=instance.spot, axis=axis)
    if "log-probabilities" in meaning and name == "LogSoftmax":
        return replace(result, maker=Maker.LOG_SOFTMAX, maker_at=instance.spot, axis=axis)
    if "linear" in meaning and data.maker is Maker.LINEAR:
        return replace(result, maker=data.maker, maker_at=data.maker_at, dtype=data.dtype)
    if "kept" in meaning:
        kept = replace(result, maker=data.maker, maker_at=data.maker_at)
        return replace(kept, dtype=data.dtype, axis=data.axis if name == "Identity" else None)
    return result


def _in_sequence(interpreter: Interpreter, instance: Instance, args: tuple[Value, ...], node: ast.Call) -> Value:
    layers: tuple[Value, ...] | None = instance.args
    if len(instance.args) == 1 and isinstance(instance.args[0], Table):
        layers = tuple(instance.args[0].items.values())
    elif len(instance.args) == 1 and isinstance(instance.args[0], Unknown):
        layers = None
    if not layers or len(args) != 1:
        return Unknown()
    value = args[0]
    for layer in layers:
        value = call_value(interpreter, layer, (value,), {}, node)
    return value


__all__ = ["Library", "Loader", "as_data", "call_instance", "call_value", "iterated"]
