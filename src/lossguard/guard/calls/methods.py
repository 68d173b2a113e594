"""Methods of `torch.Tensor`, watched. They are looked up by many, so they must look like what they stand for."""

from __future__ import annotations

from types import MethodType
from typing import Any

import torch
from torch import Tensor

from lossguard.facts.torch_versions import is_dynamo_compiling
from lossguard.guard.calls.disguise import Disguise
from lossguard.guard.calls.entries import Entry
from lossguard.guard.calls.wrapping import watching
from lossguard.guard.errors import leave
from lossguard.inplace import Function

_has_torch_function = torch._C._has_torch_function  # noqa: SLF001 - the public name is a Python function around it


class Method(Disguise):
    """A method, watched where torch would not refuse by itself what is bad.

    To a table that was made with the original it is the original: torch looks methods up by name and hands what it
    finds to the `__torch_function__` of subclasses and modes. Those have their way first, and call this again.
    """

    def __init__(self, entry: Entry, original: Function) -> None:
        self.original = original
        self._watched = watching(entry, original)
        self._elsewhere_only = entry.elsewhere_only
        self.__doc__ = original.__doc__
        self.__module__ = getattr(original, "__module__", None)  # type: ignore[assignment]  # a method has none

    def __get__(self, tensor: Any, kind: type | None = None) -> Any:
        return self if tensor is None else MethodType(self, tensor)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the method, and look at the call if it is one to look at."""
        if is_dynamo_compiling():
            return self.original(*args, **kwargs)
        try:
            if _has_torch_function(args) or (self._elsewhere_only and _is_on_host(args)):
                return self.original(*args, **kwargs)
            return self._watched(*args, **kwargs)
        except Exception as error:
            leave(error)
            raise


def _is_on_host(args: tuple[Any, ...]) -> bool:
    return not args or not isinstance(args[0], Tensor) or args[0].is_cpu
