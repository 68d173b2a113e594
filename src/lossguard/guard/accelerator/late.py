"""Judging a call after the fact, from what is left of it.

Nothing is kept alive that is not small: of a tensor that may be large there is only a weak reference, good as long
as the program itself holds the tensor and has not changed it.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import torch
from torch import Tensor

from lossguard.diagnosis import diagnose
from lossguard.facts.facts import Facts
from lossguard.facts.from_history import observe_maker
from lossguard.facts.observation import Outcome, observe_call
from lossguard.facts.torch_versions import one_thread
from lossguard.facts.unwarned import unwarned
from lossguard.findings import Finding
from lossguard.guard.active import nobody
from lossguard.guard.calls.plans import Outline

#: A tensor larger than this is not kept alive until its flag is read.
KEPT_BYTES: Final = 1 << 25


class Memory:
    """What is left of the arguments of one call."""

    __slots__ = ("_held", "_plain", "_seen", "told")

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        #: Whether the call was looked at and told of already.
        self.told = False
        self._plain: dict[str, Any] = {}
        self._held: dict[str, Tensor] = {}
        self._seen: dict[str, tuple[weakref.ref[Tensor], int | None]] = {}
        for name, value in arguments.items():
            if isinstance(value, Tensor):
                self._seen[name] = (weakref.ref(value), _version(value))
            else:
                self._plain[name] = value

    def hold(self, name: str) -> None:
        """Keep the argument called `name` alive, unless it is large."""
        value = self._seen[name][0]() if name in self._seen else None
        if value is not None and value.numel() * value.element_size() <= KEPT_BYTES:
            self._held[name] = value.detach()

    def release(self) -> None:
        """Keep nothing alive any longer."""
        self._held.clear()

    def recall(self, names: frozenset[str] | None = None) -> dict[str, Any] | None:
        """The arguments called `names`, or all, as they were; None if one is gone or was changed since."""
        found = dict(self._plain)
        for name, (seen, version) in self._seen.items():
            if names is not None and name not in names:
                continue
            value = self._held.get(name)
            if value is None:
                value = seen()
            if value is None or version is None or _version(value) != version:
                return None
            found[name] = value
        return found


def _version(value: Tensor) -> int | None:
    """How often `value` was written to; None if nobody counts."""
    return None if value.is_inference() else value._version  # noqa: SLF001 - there is no public name for it


def makers_of(arguments: Mapping[str, Any]) -> dict[str, Facts]:
    """What the gradients' history tells of each tensor: a copy on the host has none."""
    return {name: observe_maker(value, Facts()) for name, value in arguments.items() if isinstance(value, Tensor)}


def on_host(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, fetched from the device. This waits: a fault is known already."""
    return {name: value.detach().cpu() if isinstance(value, Tensor) else value for name, value in arguments.items()}


def judge(
    outline: Outline,
    arguments: Mapping[str, Any],
    outcome: Outcome | None,
    *,
    deep: bool,
    makers: Mapping[str, Facts] | None = None,
) -> list[Finding]:
    """What the rules say of a call with this outline and these arguments, which are on the host by now."""
    known = outline.observation
    given = {name: arguments.get(name, value) for name, value in outline.call.arguments.items()}
    call = replace(outline.call, arguments=given)
    with nobody(), one_thread(), unwarned(), torch._C.DisableTorchFunction():  # noqa: SLF001 - the public twin leaves modes on
        observation = observe_call(call, deep=deep)
    facts = {
        name: _as_it_was(found, known.arguments.get(name), (makers or {}).get(name))
        for name, found in observation.arguments.items()
    }
    return diagnose(call.contract, replace(known, arguments=facts, outcome=outcome))


def _as_it_was(found: Facts, known: Facts | None, made: Facts | None) -> Facts:
    """The facts of a copy, as facts of what it is a copy of."""
    if known is not None and found.kind == "tensor":
        found = replace(found, device=known.device)
    return found if made is None else replace(found, maker=made.maker, outputs_last=made.outputs_last)
