"""One call of a loss while it is made: everything that those who look at it need."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any

from lossguard.guard.calls.entries import Entry
from lossguard.guard.calls.plans import Plan
from lossguard.guard.calls.sites import Site, calling_frame, outer_frame
from lossguard.guard.looking import arguments_in
from lossguard.guard.session import Moment, Session


@dataclass(frozen=True, slots=True)
class GuardedCall:
    """A call of a loss, where it is made, who watches it, and how."""

    session: Session
    entry: Entry
    site: Site
    plan: Plan
    #: The arguments, at their places as far as they can stand there; all else by name.
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    def arguments(self) -> dict[str, Any] | None:
        """The arguments as the user gave them: from the frame of torch's function, or else from the call."""
        found = arguments_in(outer_frame(sys._getframe(1)))  # noqa: SLF001 - inspect.currentframe costs three times as much
        return found[1] if found is not None and found[0] == self.entry.loss else self.own_arguments()

    def own_arguments(self) -> dict[str, Any] | None:
        """The arguments that reached the wrapper, by the names of the contract; None if they cannot be told apart."""
        return self.entry.arguments(self.args, self.kwargs)

    def moment(self, arguments: Mapping[str, Any], kind: str) -> Moment:
        """This call as what is told about: it is being made now, and `kind` made us look."""
        frame: FrameType | None = calling_frame(sys._getframe(1))  # noqa: SLF001 - as above
        return Moment(self.site, frame, arguments, kind)

    def __reduce__(self) -> Any:
        """An exception may carry its call about; it is left behind where the exception is sent to another process."""
        return type(None), ()
