"""A finding as one record of the logger `lossguard`, for handlers that people have already."""

from __future__ import annotations

import contextlib
import logging
from typing import Final

from lossguard.findings import Finding
from lossguard.guard import active
from lossguard.reports.lines import headline, plain

_LOGGER: Final = logging.getLogger("lossguard")
# Without a handler of the program's own Python would print the record on stderr, where the warning stands already.
_LOGGER.addHandler(logging.NullHandler())


def log(finding: Finding) -> None:
    """Log one line at the place of the finding; `extra` holds what it says as data. A handler may fail at it."""
    level = logging.ERROR if finding.is_error else logging.WARNING
    if not _LOGGER.isEnabledFor(level):
        return
    place = finding.place
    file, line, where = ("", 0, "") if place is None else (place.file, place.line, plain(place.where))
    extra = {
        "code": finding.code,
        "rule": finding.name,
        "severity": str(finding.severity),
        "certainty": str(finding.certainty),
        "loss": finding.loss,
        "argument": finding.argument,
        "place": where,
        "finding": finding.to_dict(),
    }
    said = f"{headline(finding)}, at {where}" if where else headline(finding)
    # Handlers are code of the program's: what they compute is not judged, and their trouble does not end it.
    with active.nobody(), contextlib.suppress(Exception):
        _LOGGER.handle(_LOGGER.makeRecord(_LOGGER.name, level, file, line, "%s", (said,), None, None, extra))
