"""What the class of an object tells, and the code behind what is called."""

from __future__ import annotations

import inspect
import sys
import types
from typing import Any

from lossguard.paths import is_users
from lossguard.tracing.values.evaluating import UNKNOWN


def code_of(function: Any) -> types.CodeType | None:
    """The code of a function or of a method."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def caller_of(callee: Any) -> Any:
    """What runs when an object of the user's is called: a module's forward, or its `__call__`."""
    return called_of(type(callee))


def called_of(kind: type) -> Any:
    """What runs when an object of this class is called."""
    return getattr(kind, "forward", None) or inspect.getattr_static(kind, "__call__", None)


def holds_no_numbers(kind: type) -> bool:
    """Whether what is of this class is a text, or an object of a library that is no data, as an encoder is."""
    if kind is str:
        return True
    return _is_librarys(kind) and not any(
        hasattr(kind, word) for word in ("__iter__", "__getitem__", "__array__", "__len__", "forward")
    )


def has_dtype(kind: type) -> bool:
    """Whether what is of this class may have a dtype, or hold what has one: no object of a library without one."""
    return hasattr(kind, "dtype") or hasattr(kind, "__getitem__") or not _is_librarys(kind)


def is_opaque(kind: type) -> bool:
    """Whether what is of this class is an object of a library that is no data: a grouping, a window, a scaler."""
    return _is_librarys(kind) and not hasattr(kind, "__array__")


def _is_librarys(kind: type) -> bool:
    home = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return isinstance(home, str) and not is_users(home)


def is_users_object(value: Any) -> bool:
    """Whether the class of `value` is written in a file of the user's."""
    if value is UNKNOWN or value is None or isinstance(value, types.ModuleType | type | types.FunctionType):
        return False
    return _is_users_class(type(value))


def _is_users_class(made: type) -> bool:
    if made.__module__ == "__main__":
        return True
    filename = getattr(sys.modules.get(made.__module__), "__file__", None)
    return isinstance(filename, str) and is_users(filename)


def makes_object(callee: Any) -> bool:
    """Whether a call makes an object of a class of the user's that is no record of its arguments: no value yet."""
    if not isinstance(callee, type) or hasattr(callee, "__dataclass_fields__") or hasattr(callee, "_fields"):
        return False
    return _is_users_class(callee)


def is_data(value: Any) -> bool:
    """Whether it is data, and no object of the user's making."""
    return value is not UNKNOWN and (hasattr(value, "dtype") or isinstance(value, list | tuple | dict))


def is_loader(value: Any) -> bool:
    """Whether it is a DataLoader or an iterator of one."""
    return hasattr(value, "batch_sampler") or hasattr(value, "_dataset_kind")
