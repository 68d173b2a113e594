"""Which line of the user's made an object: a layer, a loss, a dataset, a record of settings."""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from lossguard.tracing.evidence.recordings import Recording
from lossguard.tracing.evidence.releasing import release

#: Frames of comprehensions, which belong to the function around them.
INLINE: Final = frozenset({"<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>"})
#: Of so many objects it is kept.
_MOST: Final = 4_000


class Birth(NamedTuple):
    """The call in which an object was made, the number of its line if that was looked at, and the instruction."""

    recording: Recording
    number: int | None
    code: types.CodeType
    instruction: int


class Births:
    """The objects that were made while the program was recorded. None of them is kept alive."""

    def __init__(self) -> None:
        #: By the weak reference to an object, of which there is one.
        self._known: dict[int, tuple[weakref.ref[Any], Birth]] = {}

    def of(self, thing: Any) -> Birth | None:
        """Where an object was made; None if that is not known."""
        try:
            found = self._known.get(id(weakref.ref(thing)))
        except TypeError:
            return None
        return found[1] if found is not None else None

    def note(self, frame: types.FrameType, of_frame: Callable[[types.FrameType], Recording | None]) -> None:
        """An `__init__` begins, maybe called by a line of the user's, in or outside of a comprehension."""
        around = caller = frame.f_back
        while around is not None and around.f_code.co_name in INLINE:
            around = around.f_back
        own = of_frame(around) if around is not None else None
        if caller is None or own is None or len(self._known) > _MOST:
            return
        try:
            held = weakref.ref(frame.f_locals[frame.f_code.co_varnames[0]])
        except (TypeError, LookupError):
            return
        finally:
            release(frame)
        # The class of an object begins before those that it is derived from.
        self._known.setdefault(id(held), (held, Birth(own, own.number_of_line, caller.f_code, caller.f_lasti)))
