"""Index operations: they die of the same faults as class-index losses, so they have contracts too."""

from __future__ import annotations

import math
from typing import Any

from lossguard.contracts.contract import (
    Argument,
    Bounds,
    Contract,
    Emptiness,
    Layout,
    Leniency,
    Meaning,
    Reading,
    Relation,
    Role,
    SizeOf,
)
from lossguard.contracts.dtypes import BOOL, INT64, UINT8
from lossguard.contracts.loss import Loss, Settings
from lossguard.contracts.relations import broadcast
from lossguard.contracts.shapes import Shape

_INT32_OR_INT64 = INT64 | {"int32"}


def _data(name: str = "input") -> Argument:
    return Argument(name, Role.OTHER, Meaning.ANYTHING)


def _index(name: str, bounds: Bounds | None, dtypes: frozenset[str] = _INT32_OR_INT64, **more: Any) -> Argument:
    return Argument(name, Role.INDEX, Meaning.INDICES, dtypes, bounds=bounds, **more)


def _axis(settings: Settings) -> int | None:
    """The axis that is meant; None where what was given is no number, which torch refuses by itself."""
    dim = settings["dim"]
    return dim if isinstance(dim, int) else None


def _along(settings: Settings) -> Bounds | None:
    """Valid indices along the axis `dim` of the input, which count from 0."""
    dim = settings["dim"]
    return Bounds(0, SizeOf("input", dim)) if isinstance(dim, int) else None


def _operation(
    name: str,
    arguments: tuple[Argument, ...],
    layout: Layout,
    *relations: Relation,
    leaders: tuple[str, ...] = ("input",),
    leniencies: tuple[Leniency, ...] = (),
) -> Contract:
    reading = Reading("indices", arguments, (layout,), leaders=leaders, relations=relations)
    return Contract(name, (reading,), "none", leniencies, is_loss=False)


def _embedding(settings: Settings) -> Contract:
    del settings
    arguments = (_index("input", Bounds(0, "V")), Argument("weight", Role.OTHER, Meaning.REALS))
    return _operation("embedding", arguments, Layout({"input": ("*s",), "weight": ("V D",)}), leaders=("weight",))


def _embedding_bag(settings: Settings) -> Contract:
    del settings
    bags = Layout({"input": ("B L",), "weight": ("V D",)}, dtypes={"input": _INT32_OR_INT64})
    flat = Layout({"input": ("B",), "weight": ("V D",), "offsets": ("O",)})
    arguments = (
        _index("input", Bounds(0, "V"), _INT32_OR_INT64 | UINT8 | {"int8", "int16"}),
        Argument("weight", Role.OTHER, Meaning.REALS),
        Argument("offsets", Role.LENGTHS, Meaning.LENGTHS, required=False),
    )
    reading = Reading("indices", arguments, (bags, flat), leaders=("input", "weight"))
    return Contract("embedding_bag", (reading,), "none", is_loss=False)


_OUT = Argument("out", Role.OTHER, Meaning.ANYTHING, same_dtype_as="input", required=False)


def _gather(settings: Settings) -> Contract:
    arguments = (_data(), _index("index", _along(settings), unchecked_when_empty=True), _OUT)
    layout = Layout({"input": ("*s",), "index": ("*t",)})
    return _operation("gather", arguments, layout, Relation("within", ("index", "input"), _axis(settings)))


def _scatter(name: str, settings: Settings) -> Contract:
    arguments = (
        _data(),
        _index("index", _along(settings), unchecked_when_empty=True),
        Argument("src", Role.OTHER, Meaning.ANYTHING, same_dtype_as="input", required=False, plain_values=True),
    )
    layout = Layout({"input": ("*s",), "index": ("*t",), "src": ("*u",)})
    within = (Relation("within", ("index", "input"), _axis(settings)), Relation("within", ("index", "src")))
    return _operation(name, arguments, layout, *within)


def _index_select(settings: Settings) -> Contract:
    arguments = (_data(), _index("index", _along(settings)), _OUT)
    scalar, tensor = Layout({"input": ("",), "index": ("1", "")}), Layout({"input": ("*s",), "index": ("K", "")})
    reading = Reading("indices", arguments, (scalar, tensor))
    return Contract("index_select", (reading,), "none", is_loss=False)


def _index_add(settings: Settings) -> Contract:
    return _from_source("index_add", settings, _INT32_OR_INT64, "slices", Emptiness("input", many_axes=True))


def _from_source(name: str, settings: Settings, dtypes: frozenset[str], kind: str, unread: Emptiness) -> Contract:
    """An operation that puts the slices of a source where the indices say."""
    arguments = (
        _data(),
        _index("index", _along(settings), dtypes, unread=unread),
        Argument("source", Role.OTHER, Meaning.ANYTHING, same_dtype_as="input"),
    )
    fits = Relation(kind, ("input", "index", "source"), _axis(settings), blamed="source")
    return _operation(name, arguments, Layout({"input": ("*s",), "index": ("K", ""), "source": ("*u",)}), fits)


def _other_axes(settings: Settings) -> Emptiness:
    """Without elements beside the axis `dim` there is nothing to write, and no index is read."""
    dim = settings["dim"]
    return Emptiness("input", besides=dim if isinstance(dim, int) else None)


def _scatter_reduce(settings: Settings) -> Contract:
    return _scatter("scatter_reduce", settings)


def _index_copy(settings: Settings) -> Contract:
    return _from_source("index_copy", settings, INT64, "scalar slices", _other_axes(settings))


def _index_fill(settings: Settings) -> Contract:
    dim = settings["dim"]
    bounds = Bounds(SizeOf("input", dim, -1), SizeOf("input", dim)) if isinstance(dim, int) else None
    return _operation(
        "index_fill",
        (_data(), _index("index", bounds, INT64, unread=_other_axes(settings))),
        Layout({"input": ("*s",), "index": ("K", "")}),
    )


def _take(settings: Settings) -> Contract:
    del settings
    bounds = Bounds(SizeOf("input", None, -1), SizeOf("input", None))
    return _operation(
        "take", (_data(), _index("index", bounds, INT64), _OUT), Layout({"input": ("*s",), "index": ("*t",)})
    )


def _take_along_dim(settings: Settings) -> Contract:
    dim = settings["dim"]
    # Without an axis torch takes from the flat tensor and checks; along one it wraps around since 2.10.
    bounds = Bounds(SizeOf("input", dim, -1), SizeOf("input", dim)) if isinstance(dim, int) else None
    relation = (Relation("broadcast", ("input", "indices"), dim),) if isinstance(dim, int) else ()
    return _operation(
        "take_along_dim",
        (_data(), _index("indices", bounds, INT64)),
        Layout({"input": ("*s",), "indices": ("*t",)}),
        *relation,
        leniencies=(Leniency("indices", "bounds", since=(2, 10)),),
    )


def _one_hot(settings: Settings) -> Contract:
    classes = settings["num_classes"]
    limit = classes if isinstance(classes, int) and classes >= 0 else 2**63 - 1
    # Without a number of classes torch counts them, which takes an element.
    counted = (Relation("not empty", ("tensor",)),) if isinstance(classes, int) and classes == -1 else ()
    return _operation(
        "one_hot",
        (_index("tensor", Bounds(0, limit, setting="num_classes"), INT64),),
        Layout({"tensor": ("*s",)}),
        *counted,
        leaders=("tensor",),
    )


def _advanced(name: str, settings: Settings) -> Contract:
    """`x[...]`: each tensor among the indices picks along an axis, from either end; a mask lies over some axes."""
    axes: dict[str, int] = settings["axes"] or {}
    masks: frozenset[str] = settings["masks"] or frozenset()
    taken = _INT32_OR_INT64 | UINT8 | BOOL
    indices = tuple(
        _index(index, Bounds(SizeOf("input", axis, -1), SizeOf("input", axis)), taken, plain_values=True)
        for index, axis in axes.items()
    )
    picking = tuple(index for index in axes if index not in masks)
    last = next(reversed(axes), "")
    relations = [Relation("axes", ("input",), settings["used"], blamed=last)]
    relations.extend(Relation("mask", (index, "input"), axes[index]) for index in axes if index in masks)
    if len(picking) > 1:
        relations.append(Relation("broadcast", picking, blamed=picking[-1]))
    shapes = {"input": ("*s",), **{index: (f"*{index}",) for index in axes}}
    if name == "index_put":
        # One value under nothing but masks is filled in, whatever its dtype.
        filled = settings["single"] and not picking and not settings["accumulate"]
        like = None if filled else "input"
        indices = (*indices, Argument("values", Role.OTHER, Meaning.ANYTHING, same_dtype_as=like, required=False))
        shapes["values"] = ("*values",)
        if settings["selected"] is not None:
            relations.append(Relation("expands", ("values",), given=settings["selected"], blamed="values"))
    return _operation(name, (_data(), *indices), Layout(shapes), *relations)


def _sort_indices(values: dict[str, Any]) -> dict[str, Any]:
    """Each tensor or list in an index expression as an argument of its own, with the axis it picks along."""
    key = "index" if "index" in values else "indices"
    index = values.pop(key, None)
    parts = index if isinstance(index, tuple) else (index,)
    rank = len(getattr(values.get("input"), "shape", ()))
    used = sum(_axes_of(part) for part in parts)
    axes: dict[str, int] = {}
    axis = 0
    for number, part in enumerate(parts):
        if part is Ellipsis:
            axis += max(rank - used, 0)
            continue
        if hasattr(part, "dtype") or isinstance(part, list):
            name = key if len(parts) == 1 and not isinstance(index, tuple) else f"{key}[{number}]"
            values[name] = part
            axes[name] = axis
        axis += _axes_of(part)
    masks = frozenset(name for name in axes if _is_mask(values[name]))
    selected = None if masks else _selected(values.get("input"), parts)
    single = math.prod(getattr(values.get("values"), "shape", (0,))) == 1
    return {**values, "axes": axes, "used": used, "masks": masks, "selected": selected, "single": single, "key": index}


def _axes_of(part: Any) -> int:
    """How many axes of the input one part of an index expression uses up."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    return max(len(part.shape), 0) if _is_mask(part) and hasattr(part, "shape") else 1


def _is_mask(part: Any) -> bool:
    """Whether this says of each place yes or no."""
    if isinstance(part, list):
        return bool(part) and all(isinstance(entry, bool) for entry in part)
    return str(getattr(part, "dtype", "")).rpartition(".")[2] in {"bool", "uint8"}


def _selected(tensor: Any, parts: tuple[Any, ...]) -> Shape | None:
    """The shape of what tensors select along the first axes; None if anything else is among the parts."""
    shapes = [getattr(part, "shape", None) for part in parts]
    known = [tuple(shape) for shape in shapes if shape is not None]
    whole = tuple(getattr(tensor, "shape", ()))
    if len(known) < len(parts) or len(parts) > len(whole):
        return None
    front = broadcast(known)
    return None if front is None else front + whole[len(parts) :]


_SCATTER = ("input", "dim", "index", "src", "value", "reduce")
#: What `_sort_indices` adds to an index expression.
_SORTED = ("axes", "used", "masks", "selected", "single", "key")
_NONE = {"src": None, "value": None, "reduce": None}

EMBEDDING = Loss(
    "embedding",
    "Embedding",
    ("input", "weight", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse"),
    ("input", "weight"),
    {"padding_idx": None, "max_norm": None, "norm_type": 2.0, "scale_grad_by_freq": False, "sparse": False},
    _embedding,
    forward=("input",),
)
EMBEDDING_BAG = Loss(
    "embedding_bag",
    "EmbeddingBag",
    (
        *("input", "weight", "offsets", "max_norm", "norm_type", "scale_grad_by_freq"),
        *("mode", "sparse", "per_sample_weights", "include_last_offset", "padding_idx"),
    ),
    ("input", "weight", "offsets", "per_sample_weights"),
    {
        "offsets": None,
        "max_norm": None,
        "norm_type": 2.0,
        "scale_grad_by_freq": False,
        "mode": "mean",
        "sparse": False,
        "per_sample_weights": None,
        "include_last_offset": False,
        "padding_idx": None,
    },
    _embedding_bag,
    forward=("input", "offsets", "per_sample_weights"),
)
GATHER = Loss(
    "gather",
    "",
    ("input", "dim", "index", "sparse_grad", "out"),
    ("input", "index", "out"),
    {"sparse_grad": False, "out": None},
    _gather,
    home="torch",
)
SCATTER = Loss(
    "scatter", "", _SCATTER, ("input", "index", "src"), _NONE, lambda s: _scatter("scatter", s), home="torch"
)
SCATTER_ADD = Loss(
    "scatter_add",
    "",
    _SCATTER[:4],
    ("input", "index", "src"),
    {},
    lambda s: _scatter("scatter_add", s),
    home="torch",
)
INDEX_SELECT = Loss(
    "index_select",
    "",
    ("input", "dim", "index", "out"),
    ("input", "index", "out"),
    {"out": None},
    _index_select,
    home="torch",
)
INDEX_ADD = Loss(
    "index_add",
    "",
    ("input", "dim", "index", "source", "alpha"),
    ("input", "index", "source"),
    {"alpha": 1},
    _index_add,
    home="torch",
)
TAKE_ALONG_DIM = Loss(
    "take_along_dim",
    "",
    ("input", "indices", "dim"),
    ("input", "indices"),
    {"dim": None},
    _take_along_dim,
    home="torch",
)
ONE_HOT = Loss("one_hot", "", ("tensor", "num_classes"), ("tensor",), {"num_classes": -1}, _one_hot)
GETITEM = Loss(
    "getitem",
    "",
    ("input", "index", *_SORTED),
    ("input", "index"),
    dict.fromkeys(_SORTED),
    lambda s: _advanced("getitem", s),
    home="operator",
    prepare=_sort_indices,
)
INDEX_PUT = Loss(
    "index_put",
    "",
    ("input", "indices", "values", "accumulate", *_SORTED),
    ("input", "indices", "values"),
    {"values": None, "accumulate": False, **dict.fromkeys(_SORTED)},
    lambda s: _advanced("index_put", s),
    home="torch",
    prepare=_sort_indices,
)
SCATTER_REDUCE = Loss(
    "scatter_reduce",
    "",
    ("input", "dim", "index", "src", "reduce", "include_self"),
    ("input", "index", "src"),
    {"include_self": True},
    _scatter_reduce,
    home="torch",
)
INDEX_COPY = Loss(
    "index_copy", "", ("input", "dim", "index", "source"), ("input", "index", "source"), {}, _index_copy, home="torch"
)
INDEX_FILL = Loss(
    "index_fill", "", ("input", "dim", "index", "value"), ("input", "index"), {}, _index_fill, home="torch"
)
TAKE = Loss("take", "", ("input", "index", "out"), ("input", "index", "out"), {"out": None}, _take, home="torch")
