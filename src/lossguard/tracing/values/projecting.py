"""Parts of values: what a path leads to, through containers, arrays, frames and the batches at hand."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final

from lossguard.tracing.program.reaching import EACH, KEYS, Chosen, Path
from lossguard.tracing.values.evaluating import UNKNOWN, item_of

#: No more elements of a container are looked at.
_ELEMENTS: Final = 2_000


def project(value: Any, path: Path) -> Any:
    """The part of `value` that a path leads to, or UNKNOWN; EACH takes every element, up to a limit."""
    for number, key in enumerate(path):
        if value is UNKNOWN:
            return UNKNOWN
        value = list(value) if isinstance(value, deque) else value
        if key is EACH:
            return _each(value, path[number + 1 :])
        value = _item(value, key)
    return value


def _each(value: Any, rest: Path) -> Any:
    batch = _batch_of(value)
    if batch is not UNKNOWN:
        return project(batch, rest)
    if not rest:
        return value
    if isinstance(tensors := getattr(value, "tensors", None), tuple) and isinstance(rest[0], int):
        return project(tensors[rest[0]], (EACH, *rest[1:])) if rest[0] < len(tensors) else UNKNOWN
    if isinstance(value, list | tuple) and value:
        parts = [project(item, rest) for item in value[:_ELEMENTS]]
        return UNKNOWN if any(part is UNKNOWN for part in parts) else parts
    if hasattr(value, "shape") and hasattr(value, "dtype") and len(value.shape) > len(rest):
        keys = tuple(slice(None) if key is EACH else getattr(key, "places", key) for key in rest)
        try:
            return item_of(value, (slice(None), *keys))
        except (IndexError, TypeError, ValueError, RuntimeError):
            return UNKNOWN
    return UNKNOWN


def _item(value: Any, key: Any) -> Any:
    """One step of a path: an item, a column, a field."""
    key = key.places if isinstance(key, Chosen) else key
    try:
        if hasattr(value, "columns") and hasattr(value, "iloc"):
            if isinstance(key, tuple) and len(key) == 2:
                return value.loc[key] if isinstance(key[1], str) else value.iloc[key]
            return value[key] if isinstance(key, list) or key in value.columns else value.iloc[key]
        if hasattr(value, "get_column") and isinstance(key, str):
            return value.get_column(key) if key in value.columns else UNKNOWN
        named = hasattr(value, "_fields") or not hasattr(value, "index")
        if isinstance(key, str) and named and not isinstance(value, Mapping | str):
            return getattr(value, key)
        if isinstance(value, Mapping):
            return list(value) if key is KEYS else value[key]
        if isinstance(value, list | tuple) and isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], slice):
            # What will be a column of the array that is made of these rows.
            parts = [item_of(row, key[1]) for row in value[key[0]]]
            return UNKNOWN if any(part is UNKNOWN for part in parts) else parts
        # Rows are counted on the way back, whatever a series calls them after it was mixed.
        return value.iloc[key] if isinstance(key, int) and hasattr(value, "iloc") else item_of(value, key)
    except Exception:  # noqa: BLE001 - whatever it raises, there is no such part
        return UNKNOWN


#: The batches that the program works on at this moment, with the iterators that gave them.
at_hand: ContextVar[tuple[tuple[Any, Any], ...]] = ContextVar("at_hand", default=())


def _batch_of(value: Any) -> Any:
    """The batch at hand of a loader or of its iterator."""
    for iterator, batch in at_hand.get():
        if is_stream_of(iterator, value):
            return batch
    return UNKNOWN


def is_stream_of(iterator: Any, value: Any) -> bool:
    """Whether `iterator` runs over the loader `value`, or is it."""
    if iterator is value:
        return True
    return (
        hasattr(value, "batch_sampler")
        and getattr(value, "dataset", None) is getattr(iterator, "_dataset", UNKNOWN)
        and getattr(value, "collate_fn", None) is getattr(iterator, "_collate_fn", UNKNOWN)
    )
