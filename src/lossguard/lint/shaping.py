"""What calls do to axes: a function for each word in the column `axes` of the table of operations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

from lossguard.lint.arguments import Arguments, as_data, size_of
from lossguard.lint.joining import element_of
from lossguard.lint.values import Const, Data, Seq, Shape, Size, Symbol, Value, Whole, broadcast_shapes

Shaping = Callable[[Arguments], Shape | None]


def first(arguments: Arguments) -> Shape | None:
    """The shape of the data that the call is about."""
    return as_data(arguments.get(0, "input", "tensor", "self", "x", "a")).shape


def axis_of(place: object, rank: int) -> int | None:
    """The axis that a number names, counted from 0; None if there is none of it."""
    if not isinstance(place, int) or isinstance(place, bool) or not -rank <= place < rank:
        return None
    return place % rank


def new(name: str = "n") -> Symbol:
    """A size that nothing is known of."""
    return Symbol(name)


def product(sizes: Shape) -> Size:
    """The number of entries that axes have together."""
    others = [size for size in sizes if size != 1]
    if not others:
        return 1
    if len(others) == 1:
        return others[0]
    numbers = [size for size in others if isinstance(size, int)]
    symbols = [size for size in others if isinstance(size, Symbol)]
    if len(symbols) == 1 and 0 not in numbers:
        return symbols[0].multiple(math.prod(numbers))
    return Symbol("n") if symbols else math.prod(numbers)


def _broadcast(arguments: Arguments) -> Shape | None:
    operands = [value for value in arguments.args if not isinstance(value, Const)]
    return broadcast_shapes(value.shape if isinstance(value, Data) else None for value in operands)


def reduced_axes(arguments: Arguments) -> tuple[int, ...] | None:
    """The axes that a reduction names, as written; empty for all of them, None if they are not known."""
    given = arguments.get(1, "dim", "axis")
    if given is None or given == Const(None):
        return ()
    if isinstance(given, Seq) and given.items is not None:
        numbers = [item.value for item in given.items if isinstance(item, Const) and isinstance(item.value, int)]
        return tuple(numbers) if len(numbers) == len(given.items) else None
    if isinstance(given, Const) and isinstance(given.value, int) and not isinstance(given.value, bool):
        return (given.value,)
    return None


def _reduced(arguments: Arguments) -> Shape | None:
    axes, keep = reduced_axes(arguments), arguments.constant(2, "keepdim", "keepdims", default=False)
    if axes is None or keep not in {True, False}:
        return None
    shape = first(arguments)
    if not axes:
        return () if not keep else None
    if shape is None:
        return None
    places = {axis_of(axis, len(shape)) for axis in axes}
    if keep:
        return tuple(1 if place in places else size for place, size in enumerate(shape))
    return tuple(size for place, size in enumerate(shape) if place not in places)


def _of_sizes(arguments: Arguments) -> Shape | None:
    return arguments.sizes(0, "size", "shape")


def _of_size(arguments: Arguments) -> Shape | None:
    given = arguments.get(0, "size", "shape")
    return None if given is None else Arguments((given,), {}).sizes(0)


def _drawn(arguments: Arguments) -> Shape | None:
    named = arguments.get(-1, "size")
    given = named if named is not None else next((item for item in arguments.args if isinstance(item, Seq)), None)
    # Numpy takes one number for the sizes, after the two bounds.
    given = arguments.get(2) if given is None else given
    if isinstance(given, Seq):
        return Arguments((given,), {}).sizes(0)
    size = size_of(given) if isinstance(given, Const | Whole) else None
    return None if size is None else (size,)


def _one(arguments: Arguments) -> Shape | None:
    """The number of entries of `arange(stop)`, `randperm(n)`, `linspace(a, b, n)`; a name of its own otherwise."""
    if len(arguments.args) == 1:
        only = arguments.args[0]
        if isinstance(only, Data) and only.shape is not None and len(only.shape) == 1:
            return only.shape
        size = size_of(only)
        return None if isinstance(only, Seq | Data) else (size,) if size is not None else (new(),)
    return (new(),)


def _square(arguments: Arguments) -> Shape | None:
    rows, columns = arguments.get(0, "n", "N"), arguments.get(1, "m", "M")
    sizes = [size_of(value) for value in (rows, rows if columns is None else columns) if value is not None]
    known = [size for size in sizes if size is not None]
    return tuple(known) if len(known) == 2 else None


def _counted(arguments: Arguments) -> Shape | None:
    given = arguments.get(2, "steps", "num")
    size = None if given is None else size_of(given)
    return (new() if size is None else size,)


def _chosen(arguments: Arguments) -> Shape | None:
    given = arguments.get(1, "size")
    if isinstance(given, Seq):
        return Arguments((given,), {}).sizes(0)
    size = None if given is None else size_of(given)
    return None if size is None else (size,)


def _padded(arguments: Arguments) -> Shape | None:
    given, first_axis = arguments.get(0, "sequences"), arguments.constant(1, "batch_first", default=False)
    part = element_of(given) if isinstance(given, Seq) else None
    if not isinstance(part, Data) or not part.shape or not isinstance(first_axis, bool):
        return None
    both = (Symbol("B", plural=True), Symbol("T", plural=True))
    return (*(both if first_axis else both[::-1]), *part.shape[1:])


def _operands(arguments: Arguments) -> list[Shape] | None:
    given = arguments.get(0, "tensors", "arrays")
    if not isinstance(given, Seq) or given.items is None:
        return None
    shapes = [item.shape for item in given.items if isinstance(item, Data) and item.shape is not None]
    return shapes if shapes and len(shapes) == len(given.items) else None


def _rank_of_parts(arguments: Arguments) -> Shape | None:
    """The shape of the parts, where only what each of them is is known."""
    given = arguments.get(0, "tensors", "arrays")
    if isinstance(given, Seq) and given.items is None and isinstance(given.element, Data):
        return given.element.shape
    return None


def _joined(arguments: Arguments) -> Shape | None:
    axis = arguments.constant(1, "dim", "axis", default=0)
    shapes = _operands(arguments) or []
    part = shapes[0] if shapes else _rank_of_parts(arguments)
    if part is None or any(len(shape) != len(part) for shape in shapes):
        return None
    place = axis_of(axis, len(part))
    if place is None:
        return None
    along = [shape[place] for shape in shapes]
    size: Size = sum(size for size in along if isinstance(size, int)) if shapes else new()
    symbols = [each for each in along if isinstance(each, Symbol)]
    if symbols:
        same = len(symbols) == len(along) and len({(each.base, each.times) for each in symbols}) == 1
        size = symbols[0].multiple(len(along)) if same and len(along) > 1 else Symbol("n", plural=len(along) > 1)
    return (*part[:place], size, *part[place + 1 :])


def _stacked(arguments: Arguments) -> Shape | None:
    axis = arguments.constant(1, "dim", "axis", default=0)
    shapes = _operands(arguments)
    part = shapes[0] if shapes else _rank_of_parts(arguments)
    if part is None:
        return None
    place = axis_of(axis, len(part) + 1)
    size: Size = len(shapes) if shapes else Symbol("n", plural=True)
    return None if place is None else (*part[:place], size, *part[place:])


def _columns(arguments: Arguments) -> Shape | None:
    """What is put beside each other: one axis is a column, and of two the second is joined."""
    shapes = _operands(arguments)
    if not shapes or any(len(shape) not in {1, 2} for shape in shapes):
        return None
    rows, widths = shapes[0][0], [shape[1] if len(shape) == 2 else 1 for shape in shapes]
    known = [width for width in widths if isinstance(width, int)]
    return (rows, sum(known) if len(known) == len(widths) else Symbol("n", plural=len(widths) > 1))


def times(size: Size, many: Size | None) -> Size:
    """So many times a size."""
    return new() if many is None else product((size, many))


def _tiled(arguments: Arguments) -> Shape | None:
    data, shape = as_data(arguments.get(0)), first(arguments)
    if data.kind != "tensor":
        # Of one axis, repeating the whole and repeating each entry give as many.
        alike = shape is not None and (len(shape) == 1 or "axis" in arguments.kwargs)
        return _repeated(arguments) if alike else None
    many = arguments.sizes(1, "repeats", "dims")
    if shape is None or many is None or len(many) < len(shape):
        return None
    own = (1,) * (len(many) - len(shape)) + shape
    return tuple(times(size, number) for size, number in zip(own, many, strict=True))


def _repeated(arguments: Arguments) -> Shape | None:
    shape, given = first(arguments), arguments.get(1, "repeats", "reps")
    axis = arguments.constant(2, "dim", "axis", default=None)
    many = size_of(given) if isinstance(given, Const | Whole) else None
    if shape is None:
        return (new(),) if axis is None else None
    if axis is None:
        return (times(product(shape), many),)
    place = axis_of(axis, len(shape))
    return None if place is None else (*shape[:place], times(shape[place], many), *shape[place + 1 :])


def _expanded(arguments: Arguments) -> Shape | None:
    shape, sizes = first(arguments), arguments.sizes(1, "size", "shape")
    if sizes is None or shape is None or len(sizes) < len(shape):
        return None
    own = (1,) * (len(sizes) - len(shape)) + shape
    return tuple(mine if wanted == -1 else wanted for mine, wanted in zip(own, sizes, strict=True))


def _with_one(arguments: Arguments) -> Shape | None:
    shape, axis = first(arguments), arguments.constant(1, "dim", "axis")
    place = None if shape is None else axis_of(axis, len(shape) + 1)
    return None if shape is None or place is None else (*shape[:place], 1, *shape[place:])


def _without_ones(arguments: Arguments) -> Shape | None:
    shape, axis = first(arguments), arguments.constant(1, "dim", "axis", default=None)
    if shape is None:
        return None
    if axis is None:
        # An axis of unknown size may be one of those that go, unless it is more than one in general.
        if any(isinstance(size, Symbol) and not size.plural for size in shape):
            return None
        return tuple(size for size in shape if size != 1)
    place = axis_of(axis, len(shape))
    if place is None or (isinstance(shape[place], Symbol) and not _is_plural(shape[place])):
        return None
    return tuple(size for d, size in enumerate(shape) if d != place or size != 1)


def _is_plural(size: Size) -> bool:
    return isinstance(size, Symbol) and size.plural


def _flattened(arguments: Arguments, start: int = 0) -> Shape | None:
    begin = arguments.constant(1, "start_dim", default=start)
    end = arguments.constant(2, "end_dim", default=-1)
    shape = first(arguments)
    if (begin, end) == (0, -1):
        return (new() if shape is None else product(shape),)
    if shape is None:
        # What has a second axis to begin with has two in the end.
        return (Symbol("N"), new()) if (begin, end) == (1, -1) else None
    low, high = axis_of(begin, len(shape)), axis_of(end, len(shape))
    if low is None or high is None or low > high:
        return None
    return (*shape[:low], product(shape[low : high + 1]), *shape[high + 1 :])


def _flattened_samples(arguments: Arguments) -> Shape | None:
    return _flattened(arguments, 1)


def _viewed(arguments: Arguments) -> Shape | None:
    if (
        len(arguments.args) == 2
        and isinstance(arguments.args[1], Const)
        and not isinstance(arguments.args[1].value, int)
    ):
        # A view of another dtype, as in `x.view(torch.int32)`.
        return None
    sizes = arguments.sizes(1, "shape")
    if sizes is None:
        return None
    if -1 not in sizes:
        return sizes
    shape, place = first(arguments), sizes.index(-1)
    rest = sizes[:place] + sizes[place + 1 :]
    return (*sizes[:place], _left_over(shape, rest), *sizes[place + 1 :])


def _left_over(shape: Shape | None, rest: Shape) -> Size:
    """What -1 stands for: the entries that the other sizes leave over."""
    if shape is None:
        return new()
    left = [size for size in shape if size != 1]
    for size in rest:
        if size in left:
            left.remove(size)
        elif size != 1:
            known = [number for number in left if isinstance(number, int)]
            whole = math.prod(known)
            if not isinstance(size, int) or not size or whole % size:
                return new()
            left = [number for number in left if isinstance(number, Symbol)] + [whole // size]
    found = product(tuple(left))
    plural = len(left) > 1 and all(_is_plural(size) or (isinstance(size, int) and size > 1) for size in left)
    is_new = isinstance(found, Symbol) and found.base is found
    return Symbol(found.name, plural=True) if isinstance(found, Symbol) and is_new and plural else found


def _permuted(arguments: Arguments) -> Shape | None:
    shape, order = first(arguments), arguments.sizes(1, "dims", "axes")
    if shape is None or order is None or len(order) != len(shape):
        return None
    places = [axis_of(place, len(shape)) for place in order]
    return None if None in places else tuple(shape[place] for place in places if place is not None)


def _swapped(arguments: Arguments) -> Shape | None:
    shape = first(arguments)
    one, other = arguments.constant(1, "dim0", "axis0"), arguments.constant(2, "dim1", "axis1")
    if shape is None:
        return None
    a, b = axis_of(one, len(shape)), axis_of(other, len(shape))
    if a is None or b is None:
        return None
    order = list(shape)
    order[a], order[b] = order[b], order[a]
    return tuple(order)


def _moved(arguments: Arguments) -> Shape | None:
    shape = first(arguments)
    source, to = arguments.constant(1, "source"), arguments.constant(2, "destination")
    if shape is None:
        return None
    a, b = axis_of(source, len(shape)), axis_of(to, len(shape))
    if a is None or b is None:
        return None
    rest = list(shape[:a] + shape[a + 1 :])
    rest.insert(b, shape[a])
    return tuple(rest)


def turned(shape: Shape | None) -> Shape | None:
    """The shape with its last two axes swapped."""
    return None if shape is None or len(shape) < 2 else (*shape[:-2], shape[-1], shape[-2])


def _picked(arguments: Arguments) -> Shape | None:
    return as_data(arguments.get(2, "index")).shape


def _with_classes(arguments: Arguments) -> Shape | None:
    shape = first(arguments)
    classes = arguments.get(1, "num_classes")
    size = size_of(classes) if classes is not None and classes != Const(-1) else None
    return None if shape is None else (*shape, new("C") if size is None else size)


def _multiplied(arguments: Arguments) -> Shape | None:
    one, other = first(arguments), as_data(arguments.get(1, "other", "mat2")).shape
    if one is None or other is None or len(one) < 2 or len(other) < 2:
        return None
    batch = broadcast_shapes([one[:-2], other[:-2]])
    return None if batch is None else (*batch, one[-2], other[-1])


SHAPINGS: Final[Mapping[str, Shaping]] = {
    "as-given": first,
    "broadcast": _broadcast,
    "reduced": _reduced,
    "of-sizes": _of_sizes,
    "of-size": _of_size,
    "drawn-sizes": _drawn,
    "one": _one,
    "square": _square,
    "counted": _counted,
    "chosen-sizes": _chosen,
    "padded": _padded,
    "joined": _joined,
    "stacked": _stacked,
    "columns": _columns,
    "tiled": _tiled,
    "repeated": _repeated,
    "expanded": _expanded,
    "with-one": _with_one,
    "without-ones": _without_ones,
    "flattened": _flattened,
    "flattened-samples": _flattened_samples,
    "viewed": _viewed,
    "permuted": _permuted,
    "swapped": _swapped,
    "moved": _moved,
    "turned": lambda arguments: turned(first(arguments)),
    "picked": _picked,
    "with-classes": _with_classes,
    "multiplied": _multiplied,
    "none": lambda _arguments: (),
}


def literal_shape(items: object) -> tuple[int, ...] | None:
    """The shape of nested lists that are written down; None if they are ragged."""
    if not isinstance(items, list):
        return ()
    inner = {literal_shape(item) for item in items}
    if len(inner) > 1 or None in inner:
        return None
    return (len(items), *(inner.pop() or ())) if inner else (0,)


def literal(value: Value | None) -> object:
    """The numbers that are written down in a value, as nested lists; None if there is anything else in it."""
    if isinstance(value, Const) and isinstance(value.value, bool | int | float):
        return value.value
    if isinstance(value, Data):
        return value.items
    if isinstance(value, Seq) and value.items is not None:
        found = [literal(item) for item in value.items]
        return None if any(item is None for item in found) else found
    return None
