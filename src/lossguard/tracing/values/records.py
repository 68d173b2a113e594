"""Records: named tuples and dataclasses, which keep what they are given in fields."""

from __future__ import annotations

from typing import Any


def fields_of(kind: Any) -> list[str]:
    """The fields of a named tuple's or a dataclass's class, if it does nothing with what it is given."""
    if not isinstance(kind, type) or hasattr(kind, "__post_init__"):
        return []
    return list(getattr(kind, "_fields", getattr(kind, "__dataclass_fields__", ())))


def is_record(kind: Any) -> bool:
    """Whether a record of this class may be made again: Python wrote what makes it, and nothing changes it later."""
    if not fields_of(kind):
        return False
    made = kind.__new__ if issubclass(kind, tuple) else kind.__init__ if kind.__dataclass_params__.frozen else None
    return getattr(getattr(made, "__code__", None), "co_filename", "") == "<string>"
