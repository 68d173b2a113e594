"""Putting the wrappers in and taking them out again, so that afterwards every name is what it was.

What torch has written in Python is changed in place and stays the same object. What it has written in C is replaced
under its name by a wrapper that looks like it. A name that somebody else has patched keeps that patch: ours goes around
it, or, if his was made around ours, stays beneath it.
"""

from __future__ import annotations

import inspect
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType
from typing import Any, Final

from torch import Tensor

from lossguard.contracts.loss import known_losses
from lossguard.facts.torch_versions import has_accelerator
from lossguard.guard.calls import wrapping
from lossguard.guard.calls.disguise import Disguise
from lossguard.guard.calls.entries import ENTRIES, METHODS, METHODS_ELSEWHERE, Entry
from lossguard.guard.calls.methods import Method
from lossguard.inplace import Function, InPlace, can_be_changed


@dataclass(frozen=True, slots=True)
class Name:
    """A name of torch's that is watched, and the function that torch itself has put there."""

    owner: Any
    name: str
    entry: Entry
    torchs_own: Function
    wrapper: Disguise

    def present(self) -> Any:
        """What is there now; if it is a wrapper of ours that somebody has put back, what that wraps."""
        found: Any = getattr(self.owner, self.name, None)
        return found.original if _is_ours(found) else found


@dataclass(frozen=True, slots=True)
class Patch:
    """One name, what it was and what it is meanwhile."""

    owner: Any
    name: str
    original: Function
    wrapper: Disguise
    #: Whether the owner had the name itself, and not from a base class.
    own: bool = True


#: The one owner that is no module.
_CLASS: Final = "torch.Tensor"
#: What can be wrapped, if it is not torch's own: other objects may be asked for more than to be called.
_FUNCTIONS: Final = (FunctionType, BuiltinFunctionType, MethodDescriptorType)
_LOCK: Final = threading.Lock()
_PATCHES: Final[list[Patch]] = []
#: Names at which somebody's patch lies over ours.
_COVERED: Final[set[tuple[Any, str]]] = set()
_USERS: Final = [0]
#: How many traces of torch.jit are going on.
_ASIDE: Final = [0]
#: The functions that trace, and what they do meanwhile.
_TRACERS: Final = ("trace", "trace_module", "_get_trace_graph")
_STANDING_ASIDE: Final = """
    with _lossguard_aside():
        return _lossguard_original({arguments})
"""


def install() -> None:
    """Patch every entry point; the second and third guard find them patched."""
    with _LOCK:
        _USERS[0] += 1
        if _USERS[0] == 1 and not _ASIDE[0]:
            _put_in()


def remove() -> None:
    """Undo one `install`; the last one restores every name that still is ours."""
    with _LOCK:
        _USERS[0] -= 1
        if _USERS[0] == 0 and not _ASIDE[0]:
            _take_out()


@contextmanager
def aside() -> Iterator[None]:
    """Be gone while torch.jit traces: nothing is watched then, and the graph would name our file instead of torch's."""
    with _LOCK:
        _ASIDE[0] += 1
        if _ASIDE[0] == 1 and _USERS[0] > 0:
            _take_out()
    try:
        yield
    finally:
        with _LOCK:
            _ASIDE[0] -= 1
            if _ASIDE[0] == 0 and _USERS[0] > 0:
                _put_in()


def _put_in() -> None:
    names, functions = _prepared()
    for function in functions:
        function.put_in()
    for name in (*names, *(_prepared_elsewhere() if _has_accelerator() else ())):
        patch = _patch(name)
        if patch is not None:
            setattr(patch.owner, patch.name, patch.wrapper)
            _PATCHES.append(patch)


def _take_out() -> None:
    for function in _prepared()[1]:
        function.take_out()
    for patch in reversed(_PATCHES):
        # Whoever patched on top of us keeps his wrapper: ours passes through by itself.
        if vars(patch.owner).get(patch.name) is not patch.wrapper:
            _COVERED.add((patch.owner, patch.name))
        elif patch.own:
            setattr(patch.owner, patch.name, patch.original)
        else:
            delattr(patch.owner, patch.name)
    _PATCHES.clear()


def installed() -> tuple[Patch, ...]:
    """What is patched now."""
    with _LOCK:
        return tuple(_PATCHES)


def _patch(name: Name) -> Patch | None:
    """What is to be done to a name now; None if it is left alone."""
    present, key = name.present(), (name.owner, name.name)
    own = name.name in vars(name.owner)
    if present is name.torchs_own:
        _COVERED.discard(key)
        if own and _is_ours(vars(name.owner)[name.name]):
            own = name.owner is not Tensor
        return Patch(name.owner, name.name, present, name.wrapper, own)
    if key in _COVERED or not isinstance(present, _FUNCTIONS):
        return None
    return Patch(name.owner, name.name, present, _wrapper(name.entry, present), own)


def _is_ours(function: Any) -> bool:
    return issubclass(type(function), Disguise)


@cache
def _has_accelerator() -> bool:
    """Whether this process can reach an accelerator. Nothing is started by asking: the program may fork yet."""
    without_a_start = "PYTORCH_NVML_BASED_CUDA_CHECK"
    before = os.environ.get(without_a_start)
    os.environ[without_a_start] = "1"
    try:
        return has_accelerator()
    finally:
        if before is None:
            del os.environ[without_a_start]
        else:
            os.environ[without_a_start] = before


@cache
def _prepared() -> tuple[tuple[Name, ...], tuple[InPlace, ...]]:
    """The names and the functions to change, made once: compiled code that has seen one meets the same one again."""
    found: list[tuple[Entry, Any]] = [(entry, getattr(_owner(entry.owner), entry.name)) for entry in _known(ENTRIES)]
    in_python = tuple(
        wrapping.in_place(_complete(entry, function), function)
        for entry, function in found
        if not entry.parameters and can_be_changed(function)
    )
    tracers: list[Any] = [getattr(import_module("torch.jit._trace"), name, None) for name in _TRACERS]
    tracing = tuple(
        InPlace(function, _STANDING_ASIDE, lambda original: {"original": original, "aside": aside})
        for function in tracers
        if can_be_changed(function)
    )
    return tuple(_names(tuple(entry for entry, _ in found if entry.parameters) + METHODS)), (*in_python, *tracing)


@cache
def _prepared_elsewhere() -> tuple[Name, ...]:
    """The names that only a process with an accelerator needs."""
    return tuple(_names(METHODS_ELSEWHERE))


def _names(entries: tuple[Entry, ...]) -> Iterator[Name]:
    builtins: Any = import_module("torch.jit._builtins")
    # Torch builds this table when it is first asked, from what the names are then: that must be before us.
    builtins._get_builtin_table()  # noqa: SLF001 - there is no public way to let script know a function
    for entry in _known(entries):
        owner = _owner(entry.owner)
        function: Any = getattr(owner, entry.name)
        if not isinstance(function, (BuiltinFunctionType, MethodDescriptorType)):
            function = _below(entry) or function
        wrapper = _wrapper(entry, function)
        operator = builtins._find_builtin(function)  # noqa: SLF001 - as above
        if operator is not None:
            builtins._register_builtin(wrapper, operator)  # noqa: SLF001 - as above
        yield Name(owner, entry.name, entry, function, wrapper)


def _below(entry: Entry) -> Any:
    """The function of torch's own under a name that somebody has patched before us, if torch has it elsewhere too."""
    found = getattr(import_module("torch")._C._VariableFunctions, entry.name, None)  # noqa: SLF001 - no public name
    return found if entry.owner == "torch" else None


def _known(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The entries that this torch has and whose loss has a contract."""
    losses = known_losses()
    return tuple(entry for entry in entries if entry.loss in losses and hasattr(_owner(entry.owner), entry.name))


def _owner(path: str) -> Any:
    """The module or the class that `path` names."""
    return Tensor if path == _CLASS else import_module(path)


def _wrapper(entry: Entry, original: Function) -> Disguise:
    return Method(entry, original) if entry.owner == _CLASS else wrapping.disguised(entry, original)


def _complete(entry: Entry, function: FunctionType) -> Entry:
    """A Python function has the parameters of its contract."""
    kinds = [parameter.kind for parameter in inspect.signature(function).parameters.values()]
    by_place = sum(kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for kind in kinds)
    return replace(entry, parameters=known_losses()[entry.loss].parameters, placed=by_place)
