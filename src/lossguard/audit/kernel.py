"""The kernel: an array of labels in, facts out. Every source and every engine runs this and nothing else.

Arrays are read in blocks that stay in the cache. A block that holds classes and nothing else is counted and done with;
only a block that trips is looked at more closely. Blocks are read in order, so the first offenders are the first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from lossguard.audit.column import KINDS, MOST_WORDS, Column, common_shape
from lossguard.audit.tally import Buffer, Tally
from lossguard.contracts.contract import Bounds
from lossguard.contracts.dtypes import FIRST_INEXACT
from lossguard.facts.facts import REMEMBERED, Facts, Number, Offender, Rows, nearest_above, nearest_below

Array = npt.NDArray[Any]
#: The position, in the part that is read, of the element with this number.
Locate = Callable[[int], tuple[int, ...]]

#: 64 K values of eight bytes: half a megabyte, which the second-level cache holds.
BLOCK: Final = 1 << 16
#: Larger floats are not turned into int64 to be counted.
_COUNTABLE: Final = 2.0**62


class Scanner:
    """Reads the labels of one part of a source, array by array, and adds them up."""

    def __init__(self, kind: str, dtype: str, bounds: Bounds | None, remember: int = REMEMBERED) -> None:
        self._kind, self._dtype, self._bounds, self._most = kind, dtype, bounds, remember
        self._whole = bounds is None or bounds.whole
        ignore = bounds.ignore if bounds is not None else None
        self._ignore = ignore if ignore is not None and int(float(ignore)) == ignore else None
        self._inexact_from = FIRST_INEXACT.get(dtype, math.inf)
        self._low: Number = math.inf
        self._high: Number = -math.inf
        self._counts = dict.fromkeys(
            (*KINDS, "count", "ignored", "excluded", "positive_infinity", "negative_infinity"), 0
        )
        self._firsts: dict[str, list[Offender]] = {kind: [] for kind in KINDS}
        self._near: dict[str, dict[Number, int]] = {"below": {}, "above": {}}
        self._tally = Tally()
        self._integers, self._differ, self._back = Buffer(np.int32), Buffer(np.bool_), Buffer(np.float64)
        self._words: dict[str, int] | None = {}
        self._within: tuple[Number, Number] | None = None
        self._lengths: tuple[int, int] | None = None
        self._inner: tuple[int, ...] | None = ()
        self._rows: Rows | None = None
        #: Whether a string that is a number was spelled as a float.
        self.floats = False
        self.samples = 0

    def add(self, values: Array, locate: Locate, *, samples: int | None = None) -> None:
        """Read one array of numbers without missing values."""
        self.samples += len(values) if samples is None else samples
        flat = values.reshape(-1)
        if flat.dtype.kind == "b":
            # A mask of one bit is 255 where it is true.
            flat = np.minimum(flat.view(np.uint8), 1)
        elif flat.dtype == np.float16:
            flat = flat.astype(np.float32)
        for start in range(0, len(flat), BLOCK):
            block = flat[start : start + BLOCK]

            def place(number: int, start: int = start) -> tuple[int, ...]:
                return locate(start + number)

            if block.dtype.kind == "f":
                self._read_floats(block, place)
            else:
                self._read_integers(block, place)
            self._counts["count"] += len(block)

    def add_missing(self, numbers: Array, locate: Locate) -> None:
        """Count places without a value."""
        self._counts["count"] += len(numbers)
        self._counts["null"] += len(numbers)
        self._remember("null", None, numbers, locate)

    def add_words(self, words: dict[str, int], numbers: Array, texts: list[str], locate: Locate) -> None:
        """Count labels that are no numbers: `numbers` are the places of the first, `texts` what stands there."""
        added = sum(words.values())
        self._counts["count"] += added
        self._counts["word"] += added
        if self._words is not None:
            for word, times in words.items():
                self._words[word] = self._words.get(word, 0) + times
            self._words = None if len(self._words) > MOST_WORDS else self._words
        room = self._most - len(self._firsts["word"])
        for number, text in list(zip(numbers.tolist(), texts, strict=True))[: max(room, 0)]:
            self._firsts["word"].append(Offender(text, locate(number)))  # type: ignore[arg-type]  # a word has no number

    def add_unread(self, count: int) -> None:
        """Count values that have no numbers behind them, such as timestamps."""
        self._counts["count"] += count
        self._counts["word"] += count
        self._words = None if count else self._words

    def add_lengths(self, shortest: int, longest: int) -> None:
        """Note how many labels the samples of a list column have."""
        low, high = self._lengths or (shortest, longest)
        self._lengths = (min(low, shortest), max(high, longest))

    def add_shape(self, inner: tuple[int, ...], matrix: Array | None = None) -> None:
        """Note the shape of a sample, and what the rows of a matrix of them look like."""
        self._inner = inner if self.samples == 0 else common_shape(self._inner, inner)
        if matrix is not None:
            from lossguard.audit.rows import read_rows

            found = read_rows(matrix, self._dtype)
            self._rows = None if found is None else (self._rows or Rows()) + found

    def column(self) -> Column:
        """All that was read."""
        firsts = {kind: tuple(found) for kind, found in self._firsts.items()}
        return Column(
            self._facts(),
            self.samples,
            firsts,
            self._words if self._words is None else dict(sorted(self._words.items())),
            self._lengths[:1] if self._lengths and self._lengths[0] == self._lengths[1] else self._shape(),
            self._lengths,
            self.floats,
        )

    def _shape(self) -> tuple[int, ...] | None:
        return self._inner if self._lengths is None else None

    def _facts(self) -> Facts:
        counts, bounds = self._counts, self._bounds
        readable = counts["word"] == 0
        known = bounds is not None and readable
        whole = self._whole and readable
        return Facts(
            kind=self._kind,
            dtype=self._dtype,
            device="cpu",
            storage="strided",
            count=counts["count"],
            smallest=self._low if readable else None,
            largest=self._high if readable else None,
            nan=counts["nan"] if readable else None,
            null=counts["null"],
            positive_infinity=counts["positive_infinity"] if readable else None,
            negative_infinity=counts["negative_infinity"] if readable else None,
            fractional=counts["fractional"] if whole else None,
            inexact=counts["inexact"] if whole and known else None,
            bounds=bounds,
            ignored=counts["ignored"] if whole and known else None,
            below=counts["below"] if known else None,
            above=counts["above"] if known else None,
            excluded=counts["excluded"] if whole and known else None,
            below_values=nearest_below(self._near["below"]) if known else None,
            above_values=nearest_above(self._near["above"]) if known else None,
            smallest_within=None if self._within is None else self._within[0],
            largest_within=None if self._within is None else self._within[1],
            class_counts=self._tally.counts() if whole else None,
            rows=self._rows,
        )

    def _read_integers(self, block: Array, locate: Locate) -> None:
        low, high = int(block.min()), int(block.max())
        self._extremes(low, high)
        if self._whole:
            self._tally.add(block, low, high)
        bounds, ignore = self._bounds, self._ignore
        if bounds is None:
            return
        if ignore is not None and low <= ignore <= high:
            self._counts["ignored"] += int(np.count_nonzero(block == ignore))
        limit = bounds.limit if self._whole or not bounds.closed else bounds.limit + 1
        if low < bounds.least or high >= limit or bounds.excluded is not None:
            self._strays(block, block < bounds.least, block >= limit, locate)

    def _read_floats(self, block: Array, locate: Locate) -> None:
        if self._whole and self._read_classes(block):
            return
        low, high = float(block.min()), float(block.max())
        if not (math.isfinite(low) and math.isfinite(high)):
            finite = np.isfinite(block)
            self._non_finite(block, finite, locate)
            places = np.flatnonzero(finite)
            if not len(places):
                return
            block, outer = block[places], locate
            low, high = float(block.min()), float(block.max())

            def locate(number: int) -> tuple[int, ...]:
                return outer(int(places[number]))

        self._extremes(low, high)
        if self._whole:
            self._read_float_labels(block, low, high, locate)
        elif self._bounds is not None:
            self._read_reals(block, low, high, self._bounds, locate)

    def _read_classes(self, block: Array) -> bool:
        """Read floats that are classes, each of them; False if one is anything else, and nothing was read."""
        integers, back = self._integers.of(len(block)), self._back.of(len(block))
        with np.errstate(invalid="ignore"):
            np.copyto(integers, block, casting="unsafe")
        np.copyto(back, integers)
        if np.not_equal(back, block, out=self._differ.of(len(block))).any():
            return False
        low, high = int(integers.min()), int(integers.max())
        bounds, ignore = self._bounds, self._ignore
        if bounds is not None:
            within = bounds.least <= low and high < bounds.limit and bounds.excluded is None
            if not within or max(-low, high) >= self._inexact_from:
                return False
            if ignore is not None and low <= ignore <= high:
                self._counts["ignored"] += int(np.count_nonzero(integers == ignore))
        self._extremes(float(low), float(high))
        self._tally.add(integers, low, high)
        return True

    def _read_float_labels(self, block: Array, low: float, high: float, locate: Locate) -> None:
        """Floats that stand for classes: fractions, then all that integers are asked."""
        if max(-low, high) < _COUNTABLE:
            whole = block.astype(np.int32 if max(-low, high) < 2**31 else np.int64)
            fractions = whole.astype(block.dtype) != block
        else:
            whole = block
            fractions = np.floor(block) != block
        if fractions.any():
            places = np.flatnonzero(fractions)
            self._counts["fractional"] += len(places)
            self._remember("fractional", block, places, locate)
            kept, outer = np.flatnonzero(~fractions), locate
            if not len(kept):
                return
            block, whole = block[kept], whole[kept]

            def locate(number: int) -> tuple[int, ...]:
                return outer(int(kept[number]))

            low, high = float(block.min()), float(block.max())
        self._tally.add(whole, int(low), int(high))
        bounds, ignore = self._bounds, self._ignore
        if bounds is None:
            return
        if ignore is not None and low <= ignore <= high:
            self._counts["ignored"] += int(np.count_nonzero(block == ignore))
        if max(-low, high) >= self._inexact_from:
            self._rounded(block, bounds, locate)
        if low < bounds.least or high >= bounds.limit or bounds.excluded is not None:
            self._strays(block, block < bounds.least, block >= bounds.limit, locate)

    def _rounded(self, block: Array, bounds: Bounds, locate: Locate) -> None:
        """Labels so large that the dtype may have rounded them."""
        rounded = np.abs(block) >= self._inexact_from
        # What equals the ignore index may be a class that was rounded to it, if it lies where classes round.
        if self._ignore is not None and not self._inexact_from <= self._ignore <= 2 * bounds.limit:
            rounded &= block != self._ignore
        places = np.flatnonzero(rounded)
        self._counts["inexact"] += len(places)
        self._remember("inexact", block, places, locate)

    def _read_reals(self, block: Array, low: float, high: float, bounds: Bounds, locate: Locate) -> None:
        """Real numbers between bounds: inside them the extremes have said it all."""
        beyond = high > bounds.limit or (high == bounds.limit and not bounds.closed)
        if low >= bounds.least and not beyond:
            self._note_within(low, high)
            return
        below = block < bounds.least
        above = block > bounds.limit if bounds.closed else block >= bounds.limit
        inside = block[~(below | above)]
        if len(inside):
            self._note_within(float(inside.min()), float(inside.max()))
        self._strays(block, below, above, locate)

    def _note_within(self, low: Number, high: Number) -> None:
        least, most = self._within or (low, high)
        self._within = (min(least, low), max(most, high))

    def _strays(self, block: Array, below: Array, above: Array, locate: Locate) -> None:
        """Count, tally and place the values out of bounds."""
        if self._ignore is not None:
            kept = block != self._ignore
            below, above = below & kept, above & kept
        for side, found, nearest in (("below", below, nearest_below), ("above", above, nearest_above)):
            places = np.flatnonzero(found)
            if not len(places):
                continue
            self._counts[side] += len(places)
            self._remember(side, block, places, locate)
            near = self._near[side]
            values, times = np.unique(block[places], return_counts=True)
            for value, count in zip(values.tolist(), times.tolist(), strict=True):
                near[value] = near.get(value, 0) + count
            self._near[side] = nearest(near) or {}
        if self._bounds is not None and self._bounds.excluded is not None:
            self._counts["excluded"] += int(np.count_nonzero(block == self._bounds.excluded))

    def _non_finite(self, block: Array, finite: Array, locate: Locate) -> None:
        nan = np.flatnonzero(np.isnan(block))
        self._counts["nan"] += len(nan)
        self._remember("nan", block, nan, locate)
        infinite = np.flatnonzero(~finite & ~np.isnan(block))
        positive = int(np.count_nonzero(block[infinite] > 0))
        self._counts["positive_infinity"] += positive
        self._counts["negative_infinity"] += len(infinite) - positive
        self._remember("infinite", block, infinite, locate)
        if self._bounds is not None and not self._whole:
            self._counts["above"] += positive
            self._counts["below"] += len(infinite) - positive

    def _remember(self, kind: str, block: Array | None, places: Array, locate: Locate) -> None:
        known = self._firsts[kind]
        for number in places[: max(self._most - len(known), 0)].tolist():
            known.append(Offender(math.nan if block is None else block[number].item(), locate(number)))

    def _extremes(self, low: Number, high: Number) -> None:
        self._low, self._high = min(self._low, low), max(self._high, high)
