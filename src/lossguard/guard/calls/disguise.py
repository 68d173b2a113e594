"""A wrapper that is, to everybody but the caller, what it wraps.

Programs put torch's functions into tables, compare them with what their `__torch_function__` is given, pickle and copy
them, ask for their signature, and keep them in classes. In all of this the wrapper answers as the original would.
"""

from __future__ import annotations

import inspect
import pkgutil
from functools import partial
from types import MethodType
from typing import TYPE_CHECKING, Any, Self

from lossguard.inplace import Function


class Disguise:
    """What wrappers of functions and of methods have in common."""

    if TYPE_CHECKING:  # an annotation would be seen
        #: What is wrapped.
        original: Any

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self.original)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.original)

    def __eq__(self, other: object) -> bool:
        return other is self or bool(other == self.original)

    def __hash__(self) -> int:
        return hash(self.original)

    def __repr__(self) -> str:
        return repr(self.original)

    def __getattr__(self, name: str) -> Any:
        if name == "original":  # not there yet
            raise AttributeError(name)
        return getattr(self.original, name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle as the original, so that it is loaded wherever that can be loaded."""
        reduced = self.original.__reduce_ex__(protocol)
        return (pkgutil.resolve_name, (f"{self.__module__}:{reduced}",)) if isinstance(reduced, str) else reduced

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


class Disguised(Disguise, partial):  # type: ignore[type-arg]
    """A function around `original`. It is a `partial` because no other callable but a function is as fast."""

    def __new__(cls, wrapper: Function, original: Function) -> Self:
        """Let `wrapper` stand for `original`."""
        self = super().__new__(cls, wrapper)
        for name in ("__module__", "__doc__"):
            self.__dict__[name] = getattr(original, name, None)
        self.__dict__["original"] = original
        self.__dict__["__prepare_scriptable__"] = lambda: original
        return self

    @property
    def func(self) -> Any:
        """What is left when somebody unwraps a `partial`: the original, as if there were none."""
        return self.original

    def __get__(self, instance: Any, kind: type | None = None) -> Any:
        """Be bound to an instance if the original would be; a `partial` would be, since Python 3.14."""
        return self if instance is None or not hasattr(self.original, "__get__") else MethodType(self, instance)
