"""Keeping what a name holds: a copy of small data, and a weak reference to all else.

Nothing large lives longer because it was recorded, and no code of the user's runs to keep a value.
"""

from __future__ import annotations

import math
import operator
import sys
import types
import weakref
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final

from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.layers import seeks_shapes

#: Arrays, frames and lists are copied up to this many elements, and so many of all copies together are kept; those that
#: are larger have as much room of their own, so that they take none from the small ones.
SMALL: Final = 20_000
LARGE: Final = 500_000
MOST: Final = 4_000_000
_DEEP: Final = 3
#: A container of other things than numbers and texts is copied up to this length.
_SHORT: Final = 256
_PLAIN: Final[frozenset[type]] = frozenset(
    {int, float, bool, str, type(None), complex, range, slice, type, type(...), type(Path()), type(PurePath())}
)


@dataclass(slots=True)
class Kept:
    """A value that is not kept itself: a weak reference, or a container of kept values."""

    reference: weakref.ref[Any] | None = None
    #: How often a tensor had been changed in place.
    version: int = 0
    container: type | None = None
    items: Any = None
    #: The class of what the reference is to, and the shape and the dtype of a tensor; they outlive the value.
    kind: type | None = None
    form: tuple[Any, Any] | None = None

    def get(self) -> Any:
        """The value; if it is gone or has changed since, its form where only that matters, else UNKNOWN."""
        if self.container is dict:
            return {key: resolved(value) for key, value in self.items.items()}
        if self.container is not None:
            return self.container(map(resolved, self.items))
        value = self.reference() if self.reference is not None else None
        if value is not None and version_of(value) == self.version:
            return value
        if self.form is None or not seeks_shapes():
            return UNKNOWN
        return _torch().empty(self.form[0], dtype=self.form[1], device="meta")


def is_tensor_class(kind: type) -> bool:
    """Whether a class is that of a tensor. It is looked into and not asked, so that no code of the user's runs."""
    return any("detach" in vars(base) for base in kind.__mro__)


def version_of(value: Any) -> int:
    """How often a tensor was changed in place; 0 for what does not count that."""
    try:
        if not is_tensor_class(type(value)):
            return 0
        with _unseen():
            return int(value._version)  # noqa: SLF001 - it has no public name
    except (RuntimeError, AttributeError, TypeError, KeyError):
        return 0  # made in inference mode, or a class


def resolved(kept: Any) -> Any:
    """What was kept, as a value."""
    return kept.get() if type(kept) is Kept else kept


class Keeper:
    """Keeps values within a budget of elements."""

    def __init__(self, most: int = MOST) -> None:
        self._left = {SMALL: most, LARGE: most}
        #: The copies of tensors and arrays that were made, with what they are of and how often that had been changed.
        self._copies: dict[int, tuple[weakref.ref[Any], int, Any]] = {}

    def keep(self, value: Any, depth: int = 0) -> Any:
        """A copy, a weak reference, or the value itself if it is a plain number or text."""
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is list or kind is tuple or kind is dict or kind is set:
            return self._container(value, kind, depth)
        home = kind.__module__.partition(".")[0]
        if home == "torch" and hasattr(value, "detach"):
            return self._tensor(value)
        if home in {"numpy", "pandas"}:
            return self._data(value)
        if home == "polars" and hasattr(kind, "shape") and hasattr(kind, "clone"):
            return value.clone() if self._room(math.prod(value.shape)) else _weak(value)
        return _weak(value)

    def _room(self, size: int) -> bool:
        tier = SMALL if size <= SMALL else LARGE
        fits = size <= min(tier, self._left[tier])
        self._left[tier] -= size if fits else 0
        return fits

    def _container(self, value: Any, kind: type, depth: int) -> Any:
        if kind is set and not _all_plain(value):
            return UNKNOWN
        plain = _all_plain(value.values() if kind is dict else value)
        if (not plain and (depth >= _DEEP or len(value) > _SHORT)) or not self._room(len(value)):
            return UNKNOWN
        if plain:
            return value if kind is tuple else kind(value)
        if kind is dict:
            return Kept(container=dict, items={key: self.keep(item, depth + 1) for key, item in value.items()})
        return Kept(container=kind, items=[self.keep(item, depth + 1) for item in value])

    def _tensor(self, value: Any) -> Any:
        with _unseen():
            plain = type(value).__name__ == "Tensor" and value.layout is _torch().strided
            if not plain or not _is_quiet():
                return _weak(value)
            # What stands in a list that grows is met again and again.
            held, version, copy = self._copies.get(id(value), (None, 0, None))
            if held is not None and held() is value and version == version_of(value):
                return copy
            if value.device.type != "cpu" or not self._room(value.numel()):
                return _weak(value, (value.shape, value.dtype))
            return self._copied(value, value.detach().clone())

    def _data(self, value: Any) -> Any:
        size, of_numpy = getattr(value, "size", None), type(value).__module__ == "numpy"
        if not isinstance(size, int) or not hasattr(value, "copy") or callable(value):
            return value if of_numpy and not hasattr(value, "__dict__") else _weak(value)
        if of_numpy and not getattr(value, "shape", ()):
            return value
        if type(value).__name__ != "ndarray" or size > SMALL:
            return value.copy() if self._room(size) else _weak(value)
        # An array tells nobody that it was changed; what is as it was is not copied once more.
        held, _, copy = self._copies.get(id(value), (None, 0, None))
        if held is not None and held() is value and is_same(copy, value):
            return copy
        return self._copied(value, value.copy()) if self._room(size) else _weak(value)

    def _copied(self, value: Any, copy: Any) -> Any:
        """A copy, which is remembered for as long as the value lives."""
        number = id(value)
        held = weakref.ref(value, lambda _: self._copies.pop(number, None))
        self._copies[number] = held, version_of(value), copy
        return copy


def _all_plain(items: Any) -> bool:
    """Whether there are only numbers and texts in it, one by one or in tuples of them."""
    if len(items) > SMALL:
        return False
    return all(
        type(item) in _PLAIN or (type(item) is tuple and all(type(part) in _PLAIN for part in item)) for item in items
    )


def _weak(value: Any, form: tuple[Any, Any] | None = None) -> Any:
    if issubclass(type(value), types.ModuleType | type):  # its class is asked, and not the object
        return value
    try:
        return Kept(weakref.ref(value), version_of(value), kind=type(value), form=form)
    except TypeError:
        return UNKNOWN


def _torch() -> Any:
    return sys.modules["torch"]


def _unseen() -> Any:
    """Subclasses and modes of the program do not see what is asked of a tensor inside."""
    return _torch()._C.DisableTorchFunction()  # noqa: SLF001 - the public twin leaves modes on


def _is_quiet() -> bool:
    """Whether a copy of a tensor is seen by nobody: no mode, transform, profiler or compiler looks at operations."""
    core = _torch()._C  # noqa: SLF001 - modes and transforms have no public list
    lookers = (
        core._len_torch_dispatch_stack,  # noqa: SLF001 - as above
        core._len_torch_function_stack,  # noqa: SLF001 - as above
        core._functorch.peek_interpreter_stack,  # noqa: SLF001 - as above
        core._get_tracing_state,  # noqa: SLF001 - as above
        core._autograd._profiler_enabled,  # noqa: SLF001 - as above
        _torch().compiler.is_compiling,
    )
    return not any(looker() for looker in lookers)


def is_same(kept: Any, value: Any) -> bool:
    """Whether what was kept of a name is surely what it holds: the same object or number, or data that are equal."""
    if type(kept) is Kept:
        return kept.reference is not None and kept.reference() is value and kept.version == version_of(value)
    kind = type(value)
    if kept is value or type(kept) is not kind:
        return kept is value
    if kind is list or kind is dict or kind is set:
        return _all_plain([*value, *value.values()] if kind is dict else value) and bool(kept == value)
    if kind.__module__.partition(".")[0] == "pandas" and kind.__name__ in {"DataFrame", "Series"}:
        return _is_same_table(kept, value)
    if kind.__module__ == "torch" and kind.__name__ == "Tensor":
        kept, value = (_array_of(kept), _array_of(value)) if _is_quiet() else (None, None)
    if kind.__name__ in {"ndarray", "Tensor"} and value is not None and kept is not None and value.dtype.kind in "biuf":
        form = (kept.shape, kept.dtype) == (value.shape, value.dtype)
        return form and bool(kept.tobytes() == value.tobytes())
    return kind in _PLAIN and bool(kept == value)


def _is_same_table(kept: Any, value: Any) -> bool:
    """The same for tables and series; objects in them must be the very same, for to compare them may run their code."""
    if kept.shape != value.shape:
        return False
    if hasattr(value, "columns"):
        names = list(value.columns)
        if any(type(name) not in _PLAIN for name in names) or list(kept.columns) != names:
            return False
        columns = ((kept.iloc[:, place], value.iloc[:, place]) for place in range(len(names)))
        return all(_is_same_table(*pair) for pair in columns)
    if value.dtype == "object":
        return bool(kept.dtype == "object") and all(map(operator.is_, kept.to_numpy(), value.to_numpy()))
    own = type(value.dtype).__module__.partition(".")[0] in {"numpy", "pandas"}
    return own and bool(kept.dtype == value.dtype) and bool(kept.equals(value))


def _array_of(value: Any) -> Any:
    """The numbers of a tensor, which are not copied; None where numpy cannot show them."""
    with _unseen():
        try:
            return value.detach().numpy()
        except (TypeError, RuntimeError):
            return None
