"""What a loss, with its arguments, requires: plain data, read by rules and never run.

A `Contract` holds one or more `Reading`s, because some losses read their target in two ways and choose by
its shape. A reading says what each argument must be and how their shapes hang together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from lossguard.contracts.shapes import Shape, Sizes, match
from lossguard.records import dataclass, field, replace


class Role(StrEnum):
    """What an argument is to the loss."""

    INPUT = "input"
    TARGET = "target"
    WEIGHT = "weight"
    INDEX = "index"
    LENGTHS = "lengths"
    OTHER = "other"


class Meaning(StrEnum):
    """What the numbers of an argument stand for."""

    LOGITS = "logits"
    LOG_PROBABILITIES = "log-probabilities"
    PROBABILITIES = "probabilities"
    CLASS_INDICES = "class indices"
    CLASS_PROBABILITIES = "class probabilities"
    CLASS_WEIGHTS = "class weights"
    WEIGHTS = "weights"
    ENTRY_WEIGHTS = "weights of single entries"
    REALS = "real numbers"
    UNIT_TARGETS = "targets from 0 to 1"
    SIGNS = "labels of -1 and +1"
    POSITIVES = "numbers that are not negative"
    INDICES = "indices"
    LABEL_SEQUENCES = "label sequences"
    LENGTHS = "lengths"
    ANYTHING = "values"


class When(StrEnum):
    """When a reading is the one the loss takes."""

    ALWAYS = "always"
    SAME_SHAPE = "input and target have the same shape"
    OTHER_SHAPE = "input and target have different shapes"


@dataclass(frozen=True, slots=True)
class SizeOf:
    """The size of one axis of an argument, or of all together, known when its shape is."""

    argument: str
    axis: int | None
    #: -1 for indices that may count from the end.
    sign: int = 1

    def read(self, shapes: Mapping[str, Shape | None]) -> int | None:
        """The size, if the shapes tell."""
        shape = shapes.get(self.argument)
        if shape is None:
            return None
        if self.axis is None:
            return self.sign * math.prod(shape)
        if not -max(len(shape), 1) <= self.axis < max(len(shape), 1):
            return None
        return self.sign * (shape[self.axis] if shape else 1)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The values an argument may hold: `low <= value < high`, or the ignore index.

    An end may name a size, such as "C", that the shapes decide. `closed` lets `high` itself in; `whole`
    says that fractions have no meaning here; `excluded` is one value in between that may not occur.
    """

    low: float | SizeOf
    high: float | str | SizeOf
    ignore: int | None = None
    closed: bool = False
    whole: bool = True
    excluded: int | None = None
    #: The setting of the call that decides `high`, if one does.
    setting: str = ""

    def resolve(self, sizes: Sizes, shapes: Mapping[str, Shape | None] | None = None) -> Bounds | None:
        """These bounds with named sizes put in their place; None while one is unknown."""
        low, high = self._end(self.low, sizes, shapes or {}), self._end(self.high, sizes, shapes or {})
        return None if low is None or high is None else replace(self, low=low, high=high)

    @staticmethod
    def _end(end: float | str | SizeOf, sizes: Sizes, shapes: Mapping[str, Shape | None]) -> float | None:
        if isinstance(end, SizeOf):
            return end.read(shapes)
        if isinstance(end, str):
            found = sizes.get(end)
            return found[0] if found else None
        return end

    @property
    def least(self) -> float:
        """The smallest value let in, once the ends are numbers."""
        if isinstance(self.low, SizeOf):
            raise TypeError("resolve the bounds before they are used")
        return self.low

    @property
    def limit(self) -> float:
        """For whole numbers, the first one no longer let in; else the largest let in or not, as `closed` says."""
        if isinstance(self.high, str | SizeOf):
            raise TypeError("resolve the bounds before they are used")
        return self.high + 1 if self.closed and self.whole else self.high


@dataclass(frozen=True, slots=True)
class Emptiness:
    """An argument that has no elements."""

    argument: str
    #: The axis that does not count: only the others make it empty.
    besides: int | None = None
    #: Whether a single axis never makes it empty.
    many_axes: bool = False

    def holds(self, shapes: Mapping[str, Shape | None]) -> bool:
        """Whether the argument is known to be empty."""
        shape = shapes.get(self.argument)
        if shape is None or (self.many_axes and len(shape) < 2):
            return False
        counted = [size for axis, size in enumerate(shape) if self.besides is None or axis != self.besides % len(shape)]
        return 0 in counted


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
    #: The argument whose dtype this one must share for backward, though forward does without.
    backward_like: str | None = None
    #: Whether the loss takes this argument's dtype, so that a narrow one costs precision.
    sets_result_dtype: bool = False
    #: The emptiness of another argument for which torch never looks at the values of this one.
    unread: Emptiness | None = None
    #: A value of the target that gives no gradient, so that a program may well mean a few of them: a tie of two ranks.
    neutral: int | None = None
    #: The argument that says how much of this one is read.
    lengths: str | None = None
    #: For lengths of label sequences: the arguments that hold the sequences, and how many steps each of them has.
    steps: tuple[str, str] | None = None
    #: Whether a plain number or sequence will do as well as a tensor.
    plain_values: bool = False


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
    #: The kinds of device for which this holds; None is all.
    devices: frozenset[str] | None = None
    #: Torch versions, first and last, for which this holds; None is open.
    since: tuple[int, int] | None = None
    until: tuple[int, int] | None = None
    #: Numbers of input dimensions for which this holds; None is all.
    dimensions: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """A demand on several shapes at once that patterns cannot say; `relations.holds` knows the kinds."""

    kind: str
    arguments: tuple[str, ...]
    axis: int | None = None
    #: Whether torch says something when a broadcast makes a new shape.
    warned: bool = False
    #: A shape that follows from the call and comes before those of the arguments.
    given: Shape | None = None
    #: The argument that is wrong when the demand is broken; the target or the index if nobody says so.
    blamed: str = ""


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
    #: The arguments whose shapes select the layout and bind the sizes.
    leaders: tuple[str, ...] = ("input",)
    relations: tuple[Relation, ...] = ()
    #: One of these must be floating, because the kernel takes what their dtypes promote to.
    one_float_of: tuple[str, ...] = ()

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
    #: The argument whose rows make logits of the input, for a loss that has its last layer inside.
    logits_from: str | None = None
    #: Whether NaN in the result is a fault: of a loss it is, of what an index picks it is not.
    is_loss: bool = True
    #: How the call was written: `F.nll_loss`, or `nn.NLLLoss` for a module and for a class called as one.
    shown: str = ""
    #: Arguments whose values torch uses unchecked, so that one out of bounds corrupts memory.
    corrupting: frozenset[str] = frozenset()
    #: Arguments of real numbers whose bounds only an assert inside the kernel holds, where the loss runs on an
    #: accelerator: one out of bounds kills the device's context. Of indices that is always so.
    asserting: frozenset[str] = frozenset()
    #: The least that a sound call can give; a smaller result is worth a closer look. None if there is no least.
    lowest_result: float | None = None

    def readings_for(self, shapes: Mapping[str, Shape | None]) -> tuple[Reading, ...]:
        """The readings that are possible for these shapes: one, or several while shapes are unknown."""
        shape, other = self._compared(shapes), shapes.get("target")
        if len(self.readings) == 1 or shape is None or other is None:
            return self.readings
        taken = {When.ALWAYS, When.SAME_SHAPE if shape == other else When.OTHER_SHAPE}
        return tuple(reading for reading in self.readings if reading.when in taken)

    def _compared(self, shapes: Mapping[str, Shape | None]) -> Shape | None:
        """The shape that the target's is compared with to choose a reading: that of the logits."""
        shape = shapes.get("input")
        if self.logits_from is None or shape is None:
            return shape
        table = shapes.get(self.logits_from)
        return None if table is None else (*shape[:-1], *table[:-1])
