"""Putting the wrappers in and taking them out again, so that afterwards every name is what it was."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any, Final

from lossguard.contracts.loss import known_losses
from lossguard.guard.entries import ENTRIES, Entry
from lossguard.guard.wrapping import Function, catching, watching


@dataclass(frozen=True, slots=True)
class Patch:
    """One name, what it was and what it is meanwhile."""

    owner: Any
    name: str
    original: Function
    wrapper: Function


_LOCK: Final = threading.Lock()
_PATCHES: Final[list[Patch]] = []
_USERS: Final = [0]


def install() -> None:
    """Patch every entry point; the second and third guard find them patched."""
    with _LOCK:
        _USERS[0] += 1
        if _USERS[0] > 1:
            return
        for patch in _prepared():
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
            if getattr(patch.owner, patch.name, None) is patch.wrapper:
                setattr(patch.owner, patch.name, patch.original)
        _PATCHES.clear()


def installed() -> tuple[Patch, ...]:
    """What is patched now."""
    with _LOCK:
        return tuple(_PATCHES)


@cache
def _prepared() -> tuple[Patch, ...]:
    """The wrappers, made once: compiled code that has seen one meets the same one again."""
    builtins: Any = import_module("torch.jit._builtins")
    # Torch builds this table when it is first asked, from what the names are then: that must be before us.
    builtins._get_builtin_table()  # noqa: SLF001 - there is no public way to let script know a function
    patches: list[Patch] = []
    for entry in ENTRIES:
        owner = import_module(entry.owner)
        if not hasattr(owner, entry.name) or entry.loss not in known_losses():
            continue
        original: Function = getattr(owner, entry.name)
        wrapper = (catching if entry.errors_only else watching)(_complete(entry), original)
        operator = builtins._find_builtin(original)  # noqa: SLF001 - as above
        if operator is not None:
            builtins._register_builtin(wrapper, operator)  # noqa: SLF001 - as above
        names = ((entry.owner, entry.name), *entry.aliases)
        patches.extend(
            Patch(import_module(module), name, original, wrapper)
            for module, name in names
            if getattr(import_module(module), name, None) is original
        )
    return tuple(patches)


def _complete(entry: Entry) -> Entry:
    """A Python function has the parameters of its contract."""
    return entry if entry.parameters else replace(entry, parameters=known_losses()[entry.loss].parameters)
