"""Images of Pillow: their mode decides on the dtype and the axes of the array, and what is drawn is in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lossguard.lint.arguments import Arguments, size_of
from lossguard.lint.shaping import new
from lossguard.lint.values import Const, Data, Instance, Seq, Shape, Spot, Unknown, Value, Whole, numbers_of

IMAGE: Final = "PIL.Image.Image"
_PEN: Final = "PIL.ImageDraw.ImageDraw"
#: The dtype of an array of each mode, and its axis of channels.
_MODES: Final[Mapping[str, tuple[str, Shape]]] = {
    "1": ("bool", ()),
    "L": ("uint8", ()),
    "P": ("uint8", ()),
    "I": ("int32", ()),
    "F": ("float32", ()),
    "RGB": ("uint8", (3,)),
    "RGBA": ("uint8", (4,)),
}
#: Methods that give an image of the same mode, of other places.
_MOVED: Final = frozenset({"copy", "crop", "resize", "rotate", "transpose"})


def pillow(interpreter: Any, name: str, arguments: Arguments) -> Value:
    """A call of a function of Pillow."""
    if name == "PIL.ImageDraw.Draw" and arguments.args:
        return Instance(_PEN, arguments.args[:1])
    if name == "PIL.Image.open":
        return _image(interpreter, Unknown(), None)
    if name == "PIL.Image.new":
        sizes = arguments.get(1, "size")
        shape = None
        if isinstance(sizes, Seq) and sizes.items is not None and len(sizes.items) == 2:
            shape = tuple(size_of(size) or new() for size in reversed(sizes.items))
        colour = arguments.get(2, "color")
        return _image(interpreter, arguments.get(0, "mode") or Unknown(), shape, Const(0) if colour is None else colour)
    return Unknown()


def _image(interpreter: Any, mode: Value, shape: Shape | None, colour: Value | None = None) -> Instance:
    made = Instance(IMAGE, (mode, Seq("tuple", tuple(map(Whole.of, shape))) if shape else Unknown()))
    held = numbers_of(colour) if colour is not None else ()
    interpreter.frame.state.heap[made, "drawn"] = Whole("drawn", holds=held)
    return made


def of_image(interpreter: Any, instance: Instance, name: str, arguments: Arguments) -> Value:
    """A method of an image, or of what draws into one."""
    heap = interpreter.frame.state.heap
    if instance.cls == _PEN:
        image, fill = instance.args[0], arguments.get(-1, "fill")
        if isinstance(image, Instance) and image.cls == IMAGE:
            drawn = heap.get((image, "drawn"), Unknown())
            held = {*numbers_of(drawn), *(numbers_of(fill) if fill is not None else ())}
            heap[image, "drawn"] = Whole("drawn", holds=(min(held), max(held)) if held else ())
        return Unknown()
    if name == "convert":
        # Other modes have other numbers: only where the mode is the same, all stay.
        mode = arguments.get(0, "mode") or Unknown()
        made = Instance(IMAGE, (mode, instance.args[1]))
        heap[made, "drawn"] = heap.get((instance, "drawn"), Unknown()) if mode == instance.args[0] else Whole("drawn")
        return made
    if name not in _MOVED:
        return Unknown()
    made = Instance(IMAGE, (instance.args[0], instance.args[1] if name == "copy" else Unknown()))
    heap[made, "drawn"] = heap.get((instance, "drawn"), Unknown()) if name == "copy" else Whole("drawn")
    return made


def as_array(interpreter: Any, image: Instance, spot: Spot) -> Data:
    """An image as an array."""
    mode, sizes = image.args
    if not isinstance(mode, Const) or mode.value not in _MODES:
        return Data(kind="array")
    dtype, channels = _MODES[mode.value]
    known = isinstance(sizes, Seq) and sizes.items is not None
    places = tuple(size_of(size) or new() for size in sizes.items or ()) if known and isinstance(sizes, Seq) else None
    shape = (*(places or (new("H"), new("W"))), *channels)
    held = numbers_of(interpreter.frame.state.heap.get((image, "drawn"), Unknown())) if mode.value in {"L", "P"} else ()
    whole = False if dtype != "float32" else None
    return Data(kind="array", dtype=dtype, shape=shape, holds=held, fractional=whole, dtype_at=spot, shape_at=spot)
