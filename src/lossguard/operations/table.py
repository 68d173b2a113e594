"""The table of operations, and the questions that are asked of it."""

from __future__ import annotations

from functools import cache
from typing import Final

from lossguard.operations.arrays import ARRAYS
from lossguard.operations.computing import COMPUTING
from lossguard.operations.frames import FRAMES
from lossguard.operations.layers import LAYERS
from lossguard.operations.operation import Operation
from lossguard.operations.python import PYTHON

TABLE: Final[tuple[Operation, ...]] = (*ARRAYS, *COMPUTING, *FRAMES, *LAYERS, *PYTHON)


@cache
def named(column: str, *words: str, home: str = "") -> frozenset[str]:
    """The names of the calls that have one of these words in a column, of one home or of any; attributes are a home.

    >>> sorted(named("meaning", "probabilities", home="layer"))
    ['Sigmoid', 'Softmax', 'Softmax2d']
    """
    return frozenset(
        operation.name
        for operation in TABLE
        if not getattr(operation, column).isdisjoint(words)
        and (home in operation.home if home else "attribute" not in operation.home)
    )


@cache
def find(name: str, home: str = "") -> tuple[Operation, ...]:
    """The rows of a name, in one home or in any; empty for a call that the table does not know."""
    return tuple(operation for operation in TABLE if operation.name == name and (not home or home in operation.home))


@cache
def dtype_of(name: str) -> str | None:
    """The dtype that a call is named after, as `double` and `LongTensor` are; None for any other.

    >>> dtype_of("double"), dtype_of("softmax")
    ('float64', None)
    """
    for operation in find(name):
        exact = next((word for word in operation.dtype if word[-1:].isdigit()), None)
        if exact is not None or operation.dtype >= {"bool", "cast"}:
            return exact or "bool"
    return None
