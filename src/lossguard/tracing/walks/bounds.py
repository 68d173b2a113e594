"""What bounds the labels of a call: an axis of the scores, the rows of a table, or a number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lossguard.tracing.symptoms.symptom import shape_of


@dataclass(frozen=True, slots=True)
class Bound:
    """What bounds the labels of a call: the argument `name` has the size, or is it; `table` is a layer's weight."""

    name: str
    size: int
    table: Any = None
    #: Whether the number 0 is kept for padding, or for a blank.
    padded: bool = False
    #: Whether each label is the number of its own sample, of which the dataset has as many as it has.
    of_samples: bool = False

    @classmethod
    def of(cls, arguments: Mapping[str, Any], axis: int) -> Bound | None:
        """By the names of the arguments: a number of classes, the rows of a table, or else an axis of the first."""
        looked_up = "reduction" not in arguments
        if looked_up and isinstance(size := arguments.get("num_classes"), int):
            return cls("num_classes", size)
        if looked_up and shape_of(table := arguments.get("weight")):
            return cls("weight", shape_of(table)[0], table, padded=arguments.get("padding_idx") == 0)
        name, scores = next(iter(arguments.items()))
        shape, blank = shape_of(scores), arguments.get("blank")
        axis = arguments.get("dim", axis) if blank is None else -1
        padded = 0 in (blank, arguments.get("ignore_index"))
        return cls(name, shape[axis], padded=padded) if -len(shape) <= axis < len(shape) else None
