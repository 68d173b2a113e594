"""What layers do to axes: a function for each word in the column `axes` of the rows of layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from lossguard.lint.arguments import Arguments, size_of
from lossguard.lint.shaping import SHAPINGS, new
from lossguard.lint.values import Const, Data, Instance, Seq, Shape, Size


def _outputs(instance: Instance) -> Size:
    name = str(instance.cls).rpartition(".")[2]
    word = {"Linear": "out_features", "LazyLinear": "out_features"}.get(name, "out_channels")
    given = instance.argument(0 if name == "LazyLinear" else 1, word)
    size = None if given is None else size_of(given)
    return new("C") if size is None else size


def _linear(instance: Instance, shape: Shape | None) -> Shape | None:
    return None if not shape else (*shape[:-1], _outputs(instance))


def _channels(instance: Instance, shape: Shape | None) -> Shape | None:
    places = {"1": 1, "2": 2, "3": 3}[str(instance.cls)[-2]]
    if shape is None:
        return None
    if not places + 1 <= len(shape) <= places + 2:
        return None
    return (*shape[: -places - 1], _outputs(instance), *_places(instance, shape[-places:]))


def _same_rank(instance: Instance, shape: Shape | None) -> Shape | None:
    name = str(instance.cls)
    places = int(name[-2]) if name[-2:-1].isdigit() else len(shape or ()) - 2
    if shape is None or not 1 <= places < len(shape) <= places + 2:
        return None
    return (*shape[:-places], *_places(instance, shape[-places:]))


def of_function(name: str, arguments: Arguments, shape: Shape | None) -> Shape | None:
    """The shape after `F.max_pool2d(x, 2)`: what an object of `nn.MaxPool2d(2)` gives."""
    layer = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    settings = {key: value for key, value in arguments.kwargs.items() if key != "input"}
    return _same_rank(Instance(f"torch.nn.{layer}", arguments.args[1:], settings), shape)


def _places(instance: Instance, sizes: Shape) -> Shape:
    """The sizes of the places after a convolution or a pooling; a new one where it is not known."""
    name = str(instance.cls).rpartition(".")[2]
    settings = _SETTINGS.get(name.rstrip("123d"))
    if name.startswith("Adaptive"):
        wanted = _numbers(instance, 0, "output_size", len(sizes), None)
        return tuple(new() if each is None else each for each in wanted)
    if settings is None:
        return tuple(new() for _ in sizes)
    kernel = _numbers(instance, settings["kernel_size"], "kernel_size", len(sizes), None)
    read = {
        word: _numbers(instance, settings.get(word, -1), word, len(sizes), default)
        for word, default in (("padding", 0), ("dilation", 1), ("output_padding", 0))
    }
    stride = _numbers(instance, settings["stride"], "stride", len(sizes), 1 if name.startswith("Conv") else "kernel")
    strides = [k if each == "kernel" else each for each, k in zip(stride, kernel, strict=True)]
    is_up = name.startswith("ConvTranspose")
    is_ceil = "ceil_mode" in instance.kwargs or (not name.startswith("Conv") and len(instance.args) > len(settings))
    found: list[Size] = []
    for place, size in enumerate(sizes):
        numbers = [size, kernel[place], strides[place], *(read[word][place] for word in read)]
        found.append(new() if is_ceil else _length(numbers, is_up=is_up))
    return tuple(found)


def _length(numbers: list[Any], *, is_up: bool) -> Size:
    if not all(isinstance(number, int) for number in numbers):
        return new()
    size, kernel, stride, padding, dilation, more = numbers
    if is_up:
        return int((size - 1) * stride - 2 * padding + dilation * (kernel - 1) + more + 1)
    length = (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1 if stride else 0
    return length if length > 0 else new()


def _numbers(instance: Instance, place: int, name: str, count: int, default: Any) -> list[Any]:
    """A setting of a layer for each place: a number for all, or a tuple of them; None where it is not known."""
    given = instance.argument(place, name) if place >= 0 else instance.kwargs.get(name)
    if given is None or given == Const(None):
        return [default] * count
    if isinstance(given, Const):
        return [given.value if type(given.value) is int else None] * count
    if isinstance(given, Seq) and given.items is not None and len(given.items) == count:
        return [item.value if isinstance(item, Const) and type(item.value) is int else None for item in given.items]
    return [None] * count


def _features(instance: Instance, shape: Shape | None) -> Shape | None:
    given = instance.argument(1, "embedding_dim")
    size = None if given is None else size_of(given)
    return None if shape is None else (*shape, new("D") if size is None else size)


def recurrent(instance: Instance, shape: Shape | None, name: str) -> Shape | None:
    """The shape of what a recurrent layer or an attention puts out."""
    if shape is None or len(shape) != 3 or name == "MultiheadAttention":
        return shape
    given = instance.argument(1, "hidden_size")
    size = None if given is None else size_of(given)
    other = {"bidirectional", "proj_size"} & instance.kwargs.keys()
    return (*shape[:2], new("H") if size is None or other else size)


def _flattened(instance: Instance, shape: Shape | None) -> Shape | None:
    return SHAPINGS["flattened-samples"](Arguments((Data(shape=shape), *instance.args), instance.kwargs))


#: Where the settings stand among the arguments of a layer.
_SETTINGS: Final[Mapping[str, Mapping[str, int]]] = {
    "Conv": {"kernel_size": 2, "stride": 3, "padding": 4, "dilation": 5},
    "ConvTranspose": {"kernel_size": 2, "stride": 3, "padding": 4, "output_padding": 5},
    "MaxPool": {"kernel_size": 0, "stride": 1, "padding": 2, "dilation": 3},
    "AvgPool": {"kernel_size": 0, "stride": 1, "padding": 2},
}
LAYERS: Final[Mapping[str, Callable[[Instance, Shape | None], Shape | None]]] = {
    "as-given": lambda _instance, shape: shape,
    "linear": _linear,
    "channels": _channels,
    "same-rank": _same_rank,
    "with-features": _features,
    "flattened-samples": _flattened,
}
