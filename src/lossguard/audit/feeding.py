"""Batches of any make to the kernel: Arrow arrays of every type, numpy arrays, lists of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lossguard.audit.column import NO_COLUMN, Column
from lossguard.audit.kernel import Array, Locate, Scanner
from lossguard.contracts.contract import Bounds
from lossguard.facts.facts import REMEMBERED

#: What a type of Arrow is called where it is no tensor's, by the first test that holds.
_OTHERS: Final = (
    (pa.types.is_decimal, "column of decimals"),
    (pa.types.is_timestamp, "column of timestamps"),
    (pa.types.is_temporal, "column of dates and times"),
    (lambda kind: pa.types.is_binary(kind) or pa.types.is_large_binary(kind), "column of bytes"),
    (pa.types.is_null, "column without a value"),
    (pa.types.is_struct, "column of structures"),
)
NUMBERS: Final = {pa.bool_(): "bool", pa.float16(): "float16", pa.float32(): "float32", pa.float64(): "float64"} | {
    getattr(pa, name)(): name for sign in ("", "u") for width in (8, 16, 32, 64) for name in [f"{sign}int{width}"]
}


class Scan:
    """Batches read one after the other. What was read so far can be had at any time."""

    def __init__(self, bounds: Bounds | None, remember: int = REMEMBERED) -> None:
        self._bounds, self._remember = bounds, remember
        self._done = NO_COLUMN
        self._scanner: Scanner | None = None
        self._described: tuple[str, str] | None = None

    def read(self, batches: Iterable[Any]) -> Column:
        """Read all batches. A batch is an Arrow array, or an array with a sample in each row."""
        for batch in batches:
            described = _describe(batch)
            if self._scanner is None or described != self._described:
                self._done = self.column()
                self._scanner, self._described = Scanner(*described, self._bounds, self._remember), described
            feed(self._scanner, batch)
        return self.column()

    def column(self) -> Column:
        """All that was read."""
        return self._done if self._scanner is None else self._done + self._scanner.column()


def scan(batches: Iterable[Any], bounds: Bounds | None) -> Column:
    """All batches read and added up: the facts of a whole column, array or list of arrays."""
    return Scan(bounds).read(batches)


def _describe(batch: Any) -> tuple[str, str]:
    """What the labels would be for a loss: a tensor with its dtype, or a column that no tensor can be made of."""
    if isinstance(batch, Labelled):
        return batch.kind, batch.dtype
    if isinstance(batch, np.ndarray):
        if batch.dtype.kind in "biuf" and batch.dtype.itemsize <= 8:
            return "tensor", batch.dtype.name
        return _describe(from_python(batch.reshape(-1).tolist()))
    kind = _innermost(batch.type)
    if kind in NUMBERS:
        return "tensor", NUMBERS[kind]
    if _is_text(kind):
        return "column of strings", "string"
    return next((name for test, name in _OTHERS if test(kind)), "column of objects"), str(kind)


class Labelled:
    """An array with the name of a dtype that numpy does not have, or of what it is a column of."""

    def __init__(self, values: Any, dtype: str, kind: str = "tensor") -> None:
        self.values, self.dtype, self.kind = values, dtype, kind


def _innermost(kind: pa.DataType) -> pa.DataType:
    if isinstance(kind, pa.ExtensionType | pa.BaseExtensionType):
        return _innermost(kind.storage_type)
    if pa.types.is_dictionary(kind) or _is_list(kind):
        return _innermost(kind.value_type)
    return kind


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def feed(scanner: Scanner, batch: Any) -> None:
    """Give one batch to the scanner."""
    if isinstance(batch, Labelled):
        batch = batch.values
    if isinstance(batch, pa.ChunkedArray):
        for chunk in batch.chunks:
            _feed_arrow(scanner, chunk)
    elif not isinstance(batch, np.ndarray):
        _feed_arrow(scanner, batch)
    elif batch.dtype.kind in "biuf" and batch.dtype.itemsize <= 8:
        _feed_numbers(scanner, batch)
    else:
        _feed_arrow(scanner, from_python(batch.reshape(-1).tolist()))


def _feed_numbers(scanner: Scanner, values: Array) -> None:
    start, inner = scanner.samples, values.shape[1:]
    scanner.add_shape(inner, values if values.ndim == 2 else None)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))

    def locate(number: int) -> tuple[int, ...]:
        place = np.unravel_index(number, values.shape)
        return (start + int(place[0]), *map(int, place[1:]))

    scanner.add(values, (lambda number: (start + number,)) if not inner else locate)


def _feed_arrow(scanner: Scanner, array: pa.Array) -> None:
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    start = scanner.samples
    if _is_list(array.type):
        _feed_lists(scanner, array, start)
    else:
        _feed_flat(scanner, array, lambda number: (start + number,), samples=len(array))


def _feed_lists(scanner: Scanner, array: pa.Array, start: int) -> None:
    """Labels of several places for each sample: laid end to end, each with its sample and its place in it."""
    missing = np.flatnonzero(np.asarray(array.is_null()))
    scanner.add_missing(missing, lambda number: (start + number,))
    lengths = np.asarray(pc.list_value_length(array).drop_null(), dtype=np.int64)
    if len(lengths):
        scanner.add_lengths(int(lengths.min()), int(lengths.max()))
    rows, values = np.asarray(pc.list_parent_indices(array)), pc.list_flatten(array)
    if _is_list(values.type):
        rows, values = rows[np.asarray(pc.list_parent_indices(values))], pc.list_flatten(values)
    firsts = np.searchsorted(rows, rows)
    if len(lengths) == len(array) and len(lengths) and lengths.min() == lengths.max() and lengths[0]:
        _look_at_rows(scanner, values, int(lengths[0]))
    _feed_flat(scanner, values, lambda n: (start + int(rows[n]), n - int(firsts[n])), samples=len(array))


def _look_at_rows(scanner: Scanner, values: pa.Array, width: int) -> None:
    if values.type in NUMBERS and not values.null_count and len(values) % width == 0:
        numbers = _numbers(values)
        scanner.add_shape((width,), numbers.reshape(-1, width))


def _feed_flat(scanner: Scanner, array: pa.Array, locate: Locate, *, samples: int) -> None:
    """An array of single labels: the missing ones apart, then numbers, words, or neither."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode() if not _is_text(array.type.value_type) else array
    kind = array.type
    if array.null_count and kind in NUMBERS:
        missing = np.asarray(array.is_null())
        scanner.add_missing(np.flatnonzero(missing), locate)
        kept = np.flatnonzero(~missing)
        numbers = _numbers(array.drop_null())
        scanner.add(numbers, lambda number: locate(int(kept[number])), samples=samples)
    elif kind in NUMBERS:
        scanner.add(_numbers(array), locate, samples=samples)
    elif pa.types.is_decimal(kind):
        _feed_flat(scanner, array.cast(pa.float64(), safe=False), locate, samples=samples)
    elif _is_text(_innermost(kind)):
        _feed_words(scanner, array, locate, samples=samples)
    else:
        scanner.add_missing(np.flatnonzero(np.asarray(array.is_null())), locate)
        scanner.add_unread(len(array) - array.null_count)
        scanner.samples += samples


def _numbers(array: pa.Array) -> Array:
    """The values of an array without missing ones, not copied. `to_numpy` would import pandas, which takes longer."""
    found: Array = array.to_numpy(zero_copy_only=False) if pa.types.is_boolean(array.type) else np.from_dlpack(array)
    return found


def _feed_words(scanner: Scanner, array: pa.Array, locate: Locate, *, samples: int) -> None:
    """Strings: those that are numbers are read as such, empty ones are missing, all others are counted as words."""
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    codes = np.asarray(encoded.indices.fill_null(-1)).astype(np.int64)
    texts = [str(text) if text is not None else "" for text in encoded.dictionary.to_pylist()]
    meanings = [_number(text) for text in texts]
    # The last entry is what a missing code, -1, picks.
    missing = np.array([*(not text.strip() for text in texts), True])
    wordy = np.array(
        [*(value is None and bool(text.strip()) for text, value in zip(texts, meanings, strict=True)), False]
    )
    scanner.add_missing(np.flatnonzero(missing[codes]), locate)
    words = np.flatnonzero(wordy[codes])
    if len(words):
        times = np.bincount(codes[words], minlength=len(texts))
        counted = {texts[code]: int(times[code]) for code in np.flatnonzero(times)}
        scanner.add_words(counted, words, [texts[code] for code in codes[words]], locate)
    numbers = np.flatnonzero(~missing[codes] & ~wordy[codes])
    whole = all(value is None or isinstance(value, int) for value in meanings)
    scanner.floats |= not whole
    table = np.array([*(0 if value is None else value for value in meanings), 0], np.int64 if whole else np.float64)
    scanner.add(table[codes[numbers]], lambda number: locate(int(numbers[number])), samples=samples)


def _number(text: str) -> int | float | None:
    """The number that a string holds, as readers of tables read it; None for a word. What no int64 holds is a float."""
    if "_" in text or not text.isascii():
        return None  # Python reads 1_000 and other digits than these as numbers; readers of tables do not
    try:
        value = int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return None
    return value if -(2**63) <= value < 2**63 else float(value)


def from_python(values: list[Any]) -> pa.Array:
    """Python values as an Arrow array; what has no common type, or no int64, as strings."""
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return pa.array([None if value is None else str(value) for value in values], pa.string())
