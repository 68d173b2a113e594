"""What a loss, with its arguments, requires: plain data, read by rules and never run.

A `Contract` holds one or more `Reading`s, because some losses read their target in two ways and choose by
its shape. A reading says what each argument must be and how their shapes hang together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from lossguard.contracts.shapes import Shape, Sizes, match


class Role(StrEnum):
    """What an argument is to the loss."""

    INPUT = "input"
    TARGET = "target"
    WEIGHT = "weight"


class Meaning(StrEnum):
    """What the numbers of an argument stand for."""

    LOGITS = "logits"
    LOG_PROBABILITIES = "log-probabilities"
    PROBABILITIES = "probabilities"
    CLASS_INDICES = "class indices"
    CLASS_PROBABILITIES = "class probabilities"
    CLASS_WEIGHTS = "class weights"


class When(StrEnum):
    """When a reading is the one the loss takes."""

    ALWAYS = "always"
    SAME_SHAPE = "input and target have the same shape"
    OTHER_SHAPE = "input and target have different shapes"


@dataclass(frozen=True, slots=True)
class Bounds:
    """The values an argument may hold: `low <= value < high`, or the ignore index.

    `high` may name a size, such as "C", that the shapes decide.
    """

    low: int
    high: int | str
    ignore: int | None = None

    def resolve(self, sizes: Sizes) -> Bounds | None:
        """These bounds with a named size put in its place; None while that size is unknown."""
        if isinstance(self.high, int):
            return self
        found = sizes.get(self.high)
        return None if found is None else Bounds(self.low, found[0], self.ignore)


@dataclass(frozen=True, slots=True)
class Argument:
    """What one tensor argument must be."""

    name: str
    role: Role
    meaning: Meaning
    #: Accepted dtypes; None when any will do. A layout may say otherwise.
    dtypes: frozenset[str] | None = None
    #: The argument whose dtype this one must share.
    same_dtype_as: str | None = None
    bounds: Bounds | None = None
    required: bool = True
    #: Whether torch returns before it looks at the dtype when there is not one element.
    unchecked_when_empty: bool = False
    #: Dtypes that pass besides when there is not one element.
    also_when_empty: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Layout:
    """One way in which the shapes of all arguments hang together.

    `shapes` gives for each argument one pattern or several; `dtypes` narrows or widens what an argument
    accepts in this layout only.
    """

    shapes: Mapping[str, tuple[str, ...]]
    dtypes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    #: The axis of the input on which the classes are.
    class_axis: int | None = None

    def bind(self, argument: str, shape: Shape, known: Sizes | None = None) -> dict[str, Shape] | None:
        """The sizes that fit `argument` to its pattern here; None if it does not fit."""
        fits = (match(pattern, shape, known or {}) for pattern in self.shapes[argument])
        return next((sizes for sizes in fits if sizes is not None), None)


@dataclass(frozen=True, slots=True)
class Leniency:
    """A demand that a device does not enforce: there the fault is silent instead of raised."""

    argument: str
    demand: str  # "dtype" or "bounds"
    devices: frozenset[str]
    #: Torch versions, first and last, for which this holds; None is open.
    since: tuple[int, int] | None = None
    until: tuple[int, int] | None = None
    #: Numbers of input dimensions for which this holds; None is all.
    dimensions: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """An argument that is a plain value: what it is and what it may be."""

    name: str
    value: Any
    kinds: tuple[type, ...]
    choices: tuple[Any, ...] | None = None
    lowest: float | None = None
    highest: float | None = None
    #: Whether torch says nothing when the value is NaN or below `lowest`.
    silent_below: bool = False
    #: Why the value may not be, in a few words.
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way in which a loss reads its arguments."""

    name: str
    arguments: tuple[Argument, ...]
    layouts: tuple[Layout, ...]
    options: tuple[Option, ...] = ()
    when: When = When.ALWAYS

    def argument(self, name: str) -> Argument | None:
        """The argument called `name`, if this reading has one."""
        return next((argument for argument in self.arguments if argument.name == name), None)

    def role(self, role: Role) -> Argument | None:
        """The first argument that plays `role`."""
        return next((argument for argument in self.arguments if argument.role is role), None)


@dataclass(frozen=True, slots=True)
class Contract:
    """What a loss with these options requires of its arguments."""

    loss: str
    readings: tuple[Reading, ...]
    reduction: str = "mean"
    leniencies: tuple[Leniency, ...] = ()
    #: How the call was written: `F.nll_loss`, or `nn.NLLLoss` for a module and for a class called as one.
    shown: str = ""
    #: Whether the loss may be run to see what comes out: never where a bad value corrupts memory.
    safe_to_run: bool = True

    def readings_for(self, shapes: Mapping[str, Shape | None]) -> tuple[Reading, ...]:
        """The readings that are possible for these shapes: one, or several while shapes are unknown."""
        shape, other = shapes.get("input"), shapes.get("target")
        if len(self.readings) == 1 or shape is None or other is None:
            return self.readings
        taken = {When.ALWAYS, When.SAME_SHAPE if shape == other else When.OTHER_SHAPE}
        return tuple(reading for reading in self.readings if reading.when in taken)
