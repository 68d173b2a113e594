"""`attach(engine)`: an Ignite engine under guard, from the start of its run to its end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lossguard.integrations.callbacks import Watch, needed


def attach(engine: Any, *, fix: bool = False, strict: bool = False, allow: Iterable[str] = ()) -> Watch:
    """Guard every run of `engine`; the answer's `report` holds what was found, with epoch and iteration."""
    events = needed("ignite.engine", "pytorch-ignite").Events
    watch = Watch(fix=fix, strict=strict, allow=allow)

    def remember() -> None:
        watch.moment = {"epoch": engine.state.epoch, "iteration": engine.state.iteration}

    def failed(error: BaseException) -> None:
        watch.examine(error)
        watch.end()
        # Without another handler Ignite raises it; with ours it would be swallowed.
        raise error

    engine.add_event_handler(events.STARTED, watch.begin)
    engine.add_event_handler(events.ITERATION_STARTED, remember)
    engine.add_event_handler(events.COMPLETED, watch.end)
    engine.add_event_handler(events.TERMINATE, watch.end)
    engine.add_event_handler(events.EXCEPTION_RAISED, failed)
    return watch
