"""What a recorder keeps of a value: a copy of small data, a weak reference to everything else.

Nothing large lives longer because it was recorded, and no code of the user's runs to keep a value.
"""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import sys
import types
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.layers import seeks_shapes

#: Arrays, frames and lists with more elements than this are not copied.
SMALL: Final = 20_000
#: So many elements of all copies together are kept.
MOST: Final = 4_000_000
_DEEP: Final = 3
#: Larger tensors are not copied from a device.
_COPIED: Final = 64 << 20
#: A container of other things than numbers and texts is copied up to this length.
_SHORT: Final = 256
_PLAIN: Final[frozenset[type]] = frozenset({int, float, bool, str, type(None), complex, range, slice, type, type(...)})
_DATA: Final = ("numpy", "pandas")


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
            items = [resolved(value) for value in self.items]
            return items if self.container is list else tuple(items)
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

    def __init__(self, left: int = MOST) -> None:
        self.left = left

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
        if home in _DATA:
            return self._data(value)
        return _weak(value)

    def _room(self, size: int) -> bool:
        if size > SMALL or size > self.left:
            return False
        self.left -= size
        return True

    def _container(self, value: Any, kind: type, depth: int) -> Any:
        if kind is set:
            return set(value) if _all_plain(value) and self._room(len(value)) else UNKNOWN
        inner = value.values() if kind is dict else value
        if _all_plain(inner):
            return (value if kind is tuple else kind(value)) if self._room(len(value)) else UNKNOWN
        if depth >= _DEEP or len(value) > _SHORT or not self._room(len(value)):
            return UNKNOWN
        if kind is dict:
            return Kept(container=dict, items={key: self.keep(item, depth + 1) for key, item in value.items()})
        return Kept(container=kind, items=[self.keep(item, depth + 1) for item in value])

    def _tensor(self, value: Any) -> Any:
        with _unseen():
            plain = type(value).__name__ == "Tensor" and value.layout is _torch().strided
            if not plain or not _is_quiet():
                return _weak(value)
            if value.device.type != "cpu" or not self._room(value.numel()):
                return _weak(value, (value.shape, value.dtype))
            return value.detach().clone()

    def _data(self, value: Any) -> Any:
        size = getattr(value, "size", None)
        if not isinstance(size, int) or not hasattr(value, "copy") or callable(value):
            return value if type(value).__module__ == "numpy" and not hasattr(value, "__dict__") else _weak(value)
        if not getattr(value, "shape", ()) and type(value).__module__ == "numpy":
            return value
        return value.copy() if self._room(size) else _weak(value)


#: Until Python 3.12 a frame whose variables are read keeps a dictionary of them, and Python reads them at every event.
_KEEPS_A_COPY: Final = sys.version_info < (3, 13)
if _KEEPS_A_COPY:
    _to_fast: Any = ctypes.pythonapi.PyFrame_LocalsToFast
    _to_fast.argtypes, _to_fast.restype = [ctypes.py_object, ctypes.c_int], None
#: What is raised where the program has used up its stack: nothing fits in there but to stop. Ctypes wraps it.
NO_STACK: Final = (RecursionError, ctypes.ArgumentError)
#: References to the dictionary if only the frame has it: the frame's, our own, and that of the call that counts.
_OWN: Final = 3


def release(frame: types.FrameType) -> None:
    """Empty the copy of its variables that a traced frame keeps, unless the program has it by `locals()`.

    After an event Python writes that copy back into the variables. It does so once: here, where an empty dictionary
    changes none of them.
    """
    code = frame.f_code
    if not _KEEPS_A_COPY or not code.co_flags & inspect.CO_OPTIMIZED:
        return
    copy = frame.f_locals
    if sys.getrefcount(copy) <= _OWN and len(copy) <= code.co_nlocals + len(code.co_cellvars) + len(code.co_freevars):
        copy.clear()
        try:
            _to_fast(frame, 0)
        except NO_STACK:
            copy = frame.f_locals  # which fills it again: empty, it would be written into the variables after all
            raise


def _all_plain(items: Any) -> bool:
    """Whether there are only numbers and texts in it, one by one or in tuples of them."""
    if len(items) > SMALL:
        return False
    return all(
        type(item) in _PLAIN or (type(item) is tuple and all(type(part) in _PLAIN for part in item)) for item in items
    )


def _weak(value: Any, form: tuple[Any, Any] | None = None) -> Any:
    if isinstance(value, types.ModuleType | type):
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
    return (
        not core._len_torch_dispatch_stack()  # noqa: SLF001 - as above
        and not core._len_torch_function_stack()  # noqa: SLF001 - as above
        and core._functorch.peek_interpreter_stack() is None  # noqa: SLF001 - as above
        and core._get_tracing_state() is None  # noqa: SLF001 - as above
        and not core._autograd._profiler_enabled()  # noqa: SLF001 - as above
        and not _torch().compiler.is_compiling()
    )


def host_copies(values: Iterable[Any]) -> list[tuple[Any, Any]]:
    """The plain tensors on a device among `values`, each with its copy on the host."""
    import torch

    found: list[tuple[Any, Any]] = []
    for value in values:
        if type(value) in {torch.Tensor, torch.nn.Parameter} and value.device.type not in {"cpu", "meta"}:
            with contextlib.suppress(Exception):  # after an assertion on a device nothing can be copied from it
                if value.numel() * value.element_size() <= _COPIED:
                    found.append((value, value.detach().cpu()))
    return found
