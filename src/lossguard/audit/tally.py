"""How often each whole number occurs, counted block by block in memory that is used again and again."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from lossguard.facts.facts import MOST_CLASSES

Array = npt.NDArray[Any]
#: Labels from -_SHIFT on and below _DENSE are counted in an array, all others in a dictionary.
_SHIFT: Final = 128
_DENSE: Final = 1 << 16
#: Labels up to this are counted block by block; larger ones wait until there are enough of them to pay for the array.
_AT_ONCE: Final = 1 << 10
_WAITING: Final = 1 << 18


class Buffer:
    """An array that grows as it has to and is written over each time."""

    def __init__(self, dtype: Any) -> None:
        self._array = np.empty(0, dtype)

    def of(self, size: int) -> Array:
        """So many entries of it."""
        if size > len(self._array):
            self._array = np.empty(size, self._array.dtype)
        return self._array[:size]


class Tally:
    """Counts labels, block by block."""

    def __init__(self) -> None:
        self._dense = np.zeros(0, np.int64)
        self._indices = Buffer(np.intp)
        self._waiting: list[Array] = []
        self._waits = 0
        self._sparse: dict[int, int] | None = {}

    def add(self, block: Array, low: int, high: int) -> None:
        """Count whole numbers, of which `low` is the smallest and `high` the largest."""
        if low >= -_SHIFT and high < _AT_ONCE:
            self._add_dense(block, low)
        elif low >= -_SHIFT and high < _DENSE:
            self._waiting.append(block.astype(np.intp))
            self._waits += len(block)
            if self._waits >= _WAITING:
                self._add_waiting()
        elif self._sparse is not None:
            values, times = np.unique(block, return_counts=True)
            known = self._sparse
            for value, count in zip(values.tolist(), times.tolist(), strict=True):
                known[int(value)] = known.get(int(value), 0) + count
            self._sparse = None if len(known) > MOST_CLASSES else known

    def counts(self) -> dict[int, int] | None:
        """Every label with its count, in order; None if there are too many different ones."""
        self._add_waiting()
        if self._sparse is None:
            return None
        seen = np.flatnonzero(self._dense)
        counts = dict(zip((seen - _SHIFT).tolist(), self._dense[seen].tolist(), strict=True))
        for value, times in self._sparse.items():
            counts[value] = counts.get(value, 0) + times
        return dict(sorted(counts.items())) if len(counts) <= MOST_CLASSES else None

    def _add_waiting(self) -> None:
        if self._waiting:
            self._add_dense(np.concatenate(self._waiting), -_SHIFT)
        self._waiting, self._waits = [], 0

    def _add_dense(self, block: Array, low: int) -> None:
        start = _SHIFT
        if low < 0:
            start, block = 0, np.add(block, _SHIFT, out=self._indices.of(len(block)), casting="unsafe", dtype=np.intp)
        elif block.dtype != np.intp:
            np.copyto(indices := self._indices.of(len(block)), block, casting="unsafe")
            block = indices
        counts = np.bincount(block)
        end = start + len(counts)
        if end > len(self._dense):
            self._dense = np.concatenate([self._dense, np.zeros(end - len(self._dense), np.int64)])
        self._dense[start:end] += counts
