"""What the labels are held against: a loss with its settings, and the number of classes."""

from __future__ import annotations

import math
from typing import Any

from lossguard.audit.trouble import CannotAudit
from lossguard.contracts.call import Call, UnknownLoss, read_call
from lossguard.contracts.contract import Argument, Bounds, Contract, Meaning, Role
from lossguard.facts.facts import Rows
from lossguard.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Demand:
    """A loss, and what it requires of its target."""

    contract: Contract
    #: None where nobody said: then the labels themselves tell, from 0 to the largest.
    classes: int | None
    target: Argument
    #: What the kernel counts in relation to; None where any number will do.
    bounds: Bounds | None
    #: Where the settings came from, if not from the caller.
    known_from: str = ""
    #: Whether a model told the number of classes.
    by_model: bool = False

    @property
    def loss(self) -> str:
        """The name of the loss."""
        return self.contract.loss

    @property
    def is_of_classes(self) -> bool:
        """Whether labels are class indices."""
        return self.target.meaning is Meaning.CLASS_INDICES

    @property
    def ignore_index(self) -> int | None:
        """The label that does not count, if the loss has one."""
        return self.bounds.ignore if self.bounds is not None else None

    def reads_rows(self, shape: tuple[int, ...], rows: Rows | None, classes: int) -> bool:
        """Whether samples are rows with an entry for each class: probabilities, or one-hot labels."""
        if len(shape) != 2 or shape[1] != classes or rows is None or not self._is_per_class:
            return False
        return len(self.contract.readings) > 1 or bool(rows.read and rows.read == rows.probabilities)

    def input_shape(self, shape: tuple[int, ...], rows: Rows | None, classes: int) -> tuple[int, ...]:
        """The shape of the model's output that goes with a target of this shape."""
        if not self._is_per_class or self.reads_rows(shape, rows, classes):
            return shape
        return (*shape[:1], classes, *shape[1:])

    @property
    def _is_per_class(self) -> bool:
        reading = next(r for r in self.contract.readings if self.target in r.arguments)
        return any(layout.class_axis is not None for layout in reading.layouts)


def demand_of(
    loss: Any = "cross_entropy",
    classes: int | None = None,
    ignore_index: int | None = None,
    *,
    criterion: Any = None,
    model: Any = None,
) -> Demand:
    """The demand of a loss by name, or of a live criterion; a model tells the number of classes."""
    sources = []
    call = _called(loss if criterion is None else criterion, ignore_index)
    if criterion is not None:
        sources.append(f"criterion {type(criterion).__name__}")
    weight = call.arguments.get("weight")
    if classes is None and weight is not None and getattr(weight, "ndim", 0) == 1:
        classes = len(weight)
        sources.append(f"{classes} class weights")
    if classes is None and model is not None:
        classes = _outputs(model)
        sources.append(f"{classes} outputs of {type(model).__name__}")
    by_model = classes is not None and model is not None and "outputs of" in "".join(sources)
    _check_classes(classes)
    target = _target(call)
    high: float = math.inf if classes is None else classes
    bounds = target.bounds.resolve({"C": (high,)}) if target.bounds is not None else None  # type: ignore[dict-item]
    return Demand(call.contract, classes, target, bounds, ", ".join(sources), by_model)


def _called(loss: Any, ignore_index: int | None) -> Call:
    settings = {} if ignore_index is None else {"ignore_index": ignore_index}
    try:
        if isinstance(loss, str) or not hasattr(loss, "forward"):
            return read_call(loss, (None, None), settings)
        call = read_call(loss, (None, None), {})
    except (UnknownLoss, TypeError) as error:
        raise CannotAudit(f"an audit takes a loss with an input and a target; {error}") from None
    if ignore_index is not None and call.settings.get("ignore_index", ignore_index) != ignore_index:
        raise CannotAudit(
            f"the criterion's ignore index is {call.settings['ignore_index']}, and {ignore_index} was asked for"
        )
    return call


def _target(call: Call) -> Argument:
    """The target as class indices where the loss reads it in several ways."""
    found = [a for reading in call.contract.readings for a in reading.arguments if a.role is Role.TARGET]
    if not found:
        raise CannotAudit(f"{call.contract.shown} has no target; an audit takes a loss with an input and a target")
    return next((a for a in found if a.meaning is Meaning.CLASS_INDICES), found[0])


def _check_classes(classes: int | None) -> None:
    if classes is not None and classes < 1:
        raise CannotAudit(f"the number of classes is 1 or more; {classes} was given")


def _outputs(model: Any) -> int:
    """How many outputs the last layer of a model has."""
    sizes = [
        getattr(layer, "out_features", None) or getattr(layer, "out_channels", None)
        for layer in model.modules()
        if hasattr(layer, "out_features") or hasattr(layer, "out_channels")
    ]
    if not sizes or not isinstance(sizes[-1], int):
        raise CannotAudit(
            f"{type(model).__name__} has no linear or convolutional layer that tells the number of classes"
        )
    return sizes[-1]


def with_classes(demand: Demand, classes: int) -> Demand:
    """The same demand, now that the number of classes is known."""
    bounds = demand.bounds if demand.bounds is None else replace(demand.bounds, high=classes)
    return replace(demand, classes=classes, bounds=bounds)
