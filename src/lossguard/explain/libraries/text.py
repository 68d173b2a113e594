"""A text that a library says, as a row of a table."""

from __future__ import annotations

from typing import Final

from lossguard.explain.causes import Causes
from lossguard.findings import Certainty
from lossguard.records import dataclass

POSSIBLE: Final = Certainty.POSSIBLE


@dataclass(frozen=True, slots=True)
class Text:
    """A text of a library, the faults that it may mean, and what to look at there."""

    library: str
    #: A template, in the grammar of `rules.saying`.
    shows: str
    #: Modules of rules, and how often each is the fault when these words are said.
    causes: Causes
    look: str = ""
    #: What else the text must show, as for a saying of torch.
    needs: str = ""
    certainty: Certainty = Certainty.LIKELY
    warns: bool = False
