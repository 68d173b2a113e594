"""Scalers and encoders of scikit-learn: what one gives for the data that it was given, by a copy of it."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lossguard.operations.table import named

#: Classes whose objects only compute, and their methods that give data or the fitted object.
_CLASSES: Final = named("pure", "transformer")
_METHODS: Final = named("pure", "transforming")


def is_transformer(kind: Any) -> bool:
    """Whether it is a class of scikit-learn's whose objects scale or encode data and do nothing else."""
    home = isinstance(kind, type) and kind.__module__.startswith("sklearn.")
    return home and kind.__name__ in _CLASSES


def transforms(owner: Any, method: str) -> bool:
    """Whether it is an object of such a class, and a method that may be run again on a copy."""
    return method in _METHODS and is_transformer(type(owner))


def transformed(owner: Any, method: str, values: Sequence[Any], words: Mapping[str, Any]) -> Any:
    """What a method gives; the object itself stays as it is."""
    return getattr(copy.deepcopy(owner), method)(*values, **words)
