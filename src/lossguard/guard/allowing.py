"""Which findings are allowed at the line that a frame is at."""

from __future__ import annotations

from types import FrameType

from lossguard.allowing import codes_of, remarked_words
from lossguard.guard.calls.sites import statement_lines


def allowed_by_remark(frame: FrameType | None) -> frozenset[str]:
    """The codes allowed by `# lossguard: allow LG303` on the lines of the statement that `frame` is at."""
    if frame is None:
        return frozenset()
    return codes_of([word for line in statement_lines(frame) for word in remarked_words(line)])
