"""A loss as users call it: its names, its parameters in order, and the builder of its contract."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from lossguard.contracts.contract import Contract, Option
from lossguard.contracts.dtypes import INT64_MIN
from lossguard.records import dataclass

REDUCTIONS = ("none", "mean", "sum")


@dataclass(frozen=True, slots=True)
class Settings:
    """The plain values a loss was called with, and which of its optional tensors were given."""

    values: Mapping[str, Any]
    given: frozenset[str] = frozenset()

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @property
    def reduction(self) -> Any:
        """The reduction, with torch's two retired flags taken into account."""
        size_average, reduce = self.values.get("size_average"), self.values.get("reduce")
        if size_average is None and reduce is None:
            return self.values.get("reduction", "mean")
        if reduce is False:
            return "none"
        return "sum" if size_average is False else "mean"

    def reduction_option(self) -> Option:
        """What the reduction may be."""
        return Option("reduction", self.reduction, (str,), choices=REDUCTIONS)

    def number_option(self, name: str, **limits: Any) -> Option:
        """What a number among the settings may be."""
        return Option(name, self.values[name], (float, int), **limits)

    def ignore_index_option(self, highest: int = -INT64_MIN - 1, reason: str = "") -> Option:
        """What the ignore index may be: any int64, or less where a reading has no place for one."""
        value = self.values.get("ignore_index")
        return Option("ignore_index", value, (int,), lowest=INT64_MIN, highest=highest, reason=reason)


@dataclass(frozen=True, slots=True)
class Loss:
    """One loss: how it is written and what it requires."""

    name: str
    module: str
    #: The parameters of the function, in torch's order.
    parameters: tuple[str, ...]
    #: Those of them that are tensors; the others are settings.
    tensors: tuple[str, ...]
    #: What a parameter is when it is not given; one without a default must be.
    defaults: Mapping[str, Any]
    build: Callable[[Settings], Contract]
    #: The parameters of the module's forward, in order; those without a default, if nothing is said.
    forward: tuple[str, ...] = ()
    #: Where the function lives; empty for what exists as a module only.
    home: str = "torch.nn.functional"
    #: Reads the arguments that a module carries; None when its attributes have the parameters' names.
    from_module: Callable[[Any], dict[str, Any]] | None = None
    #: Sorts arguments that are no single tensor (an index of several parts) into arguments that are.
    prepare: Callable[[dict[str, Any]], dict[str, Any]] | None = None

    @property
    def shown(self) -> str:
        """The function as users write it."""
        short = {"torch.nn.functional": "F", "": "nn"}.get(self.home, self.home)
        return f"{short}.{self.name}"

    @property
    def forward_parameters(self) -> tuple[str, ...]:
        """What the module's forward takes, in order."""
        return self.forward or self.required()

    def required(self) -> tuple[str, ...]:
        """The parameters that have no default."""
        return tuple(name for name in self.parameters if name not in self.defaults)


@cache
def known_losses() -> Mapping[str, Loss]:
    """Every loss that has a contract, by name, found in the modules of `contracts.losses`."""
    package = importlib.import_module("lossguard.contracts.losses")
    found: dict[str, Loss] = {}
    # As `pkgutil` finds them, which would load half of the library for that.
    files = os.listdir(package.__path__[0])  # noqa: PTH208 - faster
    for name in sorted({file.partition(".")[0] for file in files} - {"__init__", "__pycache__", ""}):
        module = importlib.import_module(f"{package.__name__}.{name}")
        losses = [value for value in vars(module).values() if isinstance(value, Loss)]
        found.update({loss.name: loss for loss in losses})
    return found


def real_loss_defaults(**own: Any) -> dict[str, Any]:
    """The defaults that every classic loss has, and its own."""
    return {"size_average": None, "reduce": None, "reduction": "mean", **own}
