"""Putting the wrappers in and taking them out again, so that afterwards every name is what it was."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any, Final

import torch
from torch import Tensor

from lossguard.contracts.loss import known_losses
from lossguard.guard.calls import wrapping
from lossguard.guard.calls.entries import ENTRIES, METHODS, METHODS_ELSEWHERE, Entry
from lossguard.guard.calls.methods import Method
from lossguard.guard.calls.wrapping import Function


@dataclass(frozen=True, slots=True)
class Patch:
    """One name, what it was and what it is meanwhile."""

    owner: Any
    name: str
    original: Function
    wrapper: Function
    #: Whether the owner had the name itself, and not from a base class.
    own: bool = True


#: The one owner that is no module.
_CLASS: Final = "torch.Tensor"
#: The functions of this module give themselves to subclasses and modes, under the name by which they are found in it.
_FUNCTIONAL: Final = "torch.nn.functional"
_LOCK: Final = threading.Lock()
_PATCHES: Final[list[Patch]] = []
_USERS: Final = [0]


def install() -> None:
    """Patch every entry point; the second and third guard find them patched."""
    with _LOCK:
        _USERS[0] += 1
        if _USERS[0] > 1:
            return
        for patch in (*_prepared(), *(_prepared_elsewhere() if _has_accelerator() else ())):
            setattr(patch.owner, patch.name, patch.wrapper)
            _PATCHES.append(patch)


def remove() -> None:
    """Undo one `install`; the last one restores every name that still is ours."""
    with _LOCK:
        _USERS[0] -= 1
        if _USERS[0] > 0:
            return
        for patch in reversed(_PATCHES):
            # Whoever patched on top of us keeps his wrapper: ours passes through by itself.
            if vars(patch.owner).get(patch.name) is not patch.wrapper:
                continue
            if patch.own:
                setattr(patch.owner, patch.name, patch.original)
            else:
                delattr(patch.owner, patch.name)
        _PATCHES.clear()


def installed() -> tuple[Patch, ...]:
    """What is patched now."""
    with _LOCK:
        return tuple(_PATCHES)


@cache
def _has_accelerator() -> bool:
    """Whether this process can reach an accelerator. Nothing is started by asking: the program may fork yet."""
    without_a_start = "PYTORCH_NVML_BASED_CUDA_CHECK"
    before = os.environ.get(without_a_start)
    os.environ[without_a_start] = "1"
    try:
        return bool(torch.accelerator.is_available())
    finally:
        if before is None:
            del os.environ[without_a_start]
        else:
            os.environ[without_a_start] = before


@cache
def _prepared() -> tuple[Patch, ...]:
    """The wrappers, made once: compiled code that has seen one meets the same one again."""
    patches = tuple(_patches((*ENTRIES, *METHODS)))
    owner, name = _owner(_FUNCTIONAL), "handle_torch_function"
    functions = {patch.wrapper: patch.original for patch in patches if patch.owner is owner}
    original: Function = getattr(owner, name)
    return (*patches, Patch(owner, name, original, wrapping.handing_on(original, functions)))


@cache
def _prepared_elsewhere() -> tuple[Patch, ...]:
    """The wrappers that only a process with an accelerator needs."""
    return tuple(_patches(METHODS_ELSEWHERE))


def _patches(entries: tuple[Entry, ...]) -> Iterator[Patch]:
    builtins: Any = import_module("torch.jit._builtins")
    # Torch builds this table when it is first asked, from what the names are then: that must be before us.
    builtins._get_builtin_table()  # noqa: SLF001 - there is no public way to let script know a function
    for entry in entries:
        owner = _owner(entry.owner)
        if not hasattr(owner, entry.name) or entry.loss not in known_losses():
            continue
        original: Function = getattr(owner, entry.name)
        wrapper = _wrapper(_complete(entry), original)
        operator = builtins._find_builtin(original)  # noqa: SLF001 - as above
        if operator is not None:
            builtins._register_builtin(wrapper, operator)  # noqa: SLF001 - as above
        names = ((entry.owner, entry.name), *entry.aliases)
        yield from (
            Patch(_owner(path), name, original, wrapper, own=name in vars(_owner(path)))
            for path, name in names
            if getattr(_owner(path), name, None) is original
        )


def _owner(path: str) -> Any:
    """The module or the class that `path` names."""
    return Tensor if path == _CLASS else import_module(path)


def _wrapper(entry: Entry, original: Function) -> Function:
    if entry.errors_only:
        return wrapping.catching(entry, original)
    wrap = Method if entry.owner == _CLASS else wrapping.watching
    return wrap(entry, original)


def _complete(entry: Entry) -> Entry:
    """A Python function has the parameters of its contract."""
    return entry if entry.parameters else replace(entry, parameters=known_losses()[entry.loss].parameters)
