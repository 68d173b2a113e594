"""Computing without a word: what torch warns of while we look is nobody's concern.

`warnings.catch_warnings` would not do. It is not meant for threads, and it makes Python forget which warnings were
shown: the program's own would all be shown once more.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

_LOOKING: Final[ContextVar[bool]] = ContextVar("lossguard_looking", default=False)


class _Here(type):
    """A kind of warning that every other one belongs to, for whoever is looking, and none for everybody else."""

    def __subclasscheck__(cls, kind: type) -> bool:
        del kind
        return _LOOKING.get()


class _Ours(Warning, metaclass=_Here):
    """A warning that comes from a look."""


_FILTER: Final[tuple[Any, ...]] = ("ignore", None, _Ours, None, 0)


@contextmanager
def unwarned() -> Iterator[None]:
    """Nothing is warned of inside, in this thread alone; the filters, and what they remember, stay as they are."""
    token = _LOOKING.set(True)
    filters: Any = warnings.filters
    filters.insert(0, _FILTER)
    try:
        yield
    finally:
        _LOOKING.reset(token)
        # Somebody may have exchanged the list meanwhile; a filter that is left in it does nothing.
        if _FILTER in filters:
            filters.remove(_FILTER)
