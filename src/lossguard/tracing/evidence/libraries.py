"""Libraries that the recorder leaves to themselves: to follow them would slow them down and tell nothing."""

from __future__ import annotations

import inspect
import os
import re
import sys
import threading
import types
from collections.abc import Callable, Mapping
from typing import Any, Final

from lossguard.paths import is_library, is_users

#: Said of a file whose functions call those of the user's only if they are given some.
QUIET: Final = "quiet"
_FILES: Final = re.compile(
    r"/site-packages/(pandas|numpy|scipy|matplotlib|PIL|pyarrow|polars)/"
    r"|/torch/(optim/(?!lr_scheduler|swa_utils)|nn/init\.py)"
    r"|^<frozen importlib\._bootstrap>$"
)
#: A function that asks for its variables as a dictionary would find ours there.
_ASKS: Final = frozenset({"locals", "vars", "eval", "exec"})
#: Values that may run any function.
_RUNNERS: Final = frozenset({types.MethodType, map, filter})
#: Of a container so many elements are looked at.
_FEW: Final = 16


class Aside:
    """Lies among the variables of a library's function, and tells when that has ended."""

    __slots__ = ("_back", "_last", "caller", "thread")
    NAME: Final = "lossguard aside"

    def __init__(self, back: Callable[[Aside], None], caller: types.FrameType) -> None:
        self._back, self.caller, self._last = back, caller, caller.f_lasti
        self.thread = threading.get_ident()

    @property
    def is_at_its_place(self) -> bool:
        """Whether the user's function still stands where it called the library."""
        return self.caller.f_lasti == self._last

    def __del__(self) -> None:
        """The function has ended."""
        self._back(self)


def is_quiet(code: types.CodeType) -> bool:
    """Whether a file belongs to a library that is left to itself."""
    return _FILES.search(code.co_filename) is not None


def may_call_back(frame: types.FrameType) -> bool:
    """Whether a library's function that begins has been given something that may run a function of the user's."""
    code = frame.f_code
    if code.co_flags & inspect.CO_GENERATOR or not _ASKS.isdisjoint(code.co_names):
        return True
    if code.co_filename.startswith("<frozen"):
        return _imports_users(frame.f_locals)
    return any(_may_run(value) for value in frame.f_locals.values())


def _imports_users(given: Mapping[str, Any]) -> bool:
    """Whether what Python is asked to import, a module or parts of one, may be a file of the user's."""
    name = given.get("name") or getattr(given.get("module"), "__name__", "")
    root = str(name).partition(".")[0]
    if root in sys.stdlib_module_names:
        return False
    places = [os.path.join(folder, root) for folder in sys.path]  # noqa: PTH118 - half the time of Path
    first = next((place for place in places if os.path.isdir(place) or os.path.isfile(f"{place}.py")), None)  # noqa: PTH112, PTH113 - as above
    return first is None or not is_library(first)


def _may_run(value: Any, *, deep: bool = True) -> bool:
    kind = type(value)
    if kind is dict or kind is list or kind is tuple:
        inner = list(value.values() if kind is dict else value)[:_FEW] if deep and len(value) < 1000 else []
        return any(_may_run(item, deep=False) for item in inner)
    if kind is types.FunctionType or kind is types.GeneratorType:
        return is_users((value.__code__ if kind is types.FunctionType else value.gi_code).co_filename)
    if kind is type:
        kind = value
    if kind in _RUNNERS or kind.__module__ == "functools":
        return True
    # A class of the user's begins with a method of the user's.
    first = next((method for method in vars(kind).values() if type(method) is types.FunctionType), None)
    return first is not None and is_users(first.__code__.co_filename)
