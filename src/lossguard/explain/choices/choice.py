"""A cause and a fix to choose, as a row of a table."""

from __future__ import annotations

from lossguard.records import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """Where all columns fit a text, this cause and this fix come first; of a rule, the first row that fits."""

    rule: str
    cause: str
    title: str
    #: May hold {value}, {more} (value + 1) and {size}, which are those of the text.
    code: str = ""
    ops: frozenset[str] = frozenset()
    #: "huge", "mark", "negative", "minus one", "size" (equal to the size), "sized" (a size is named), "known";
    #: or in what shapes differ: "rows", "no batch", "channels", "index channel", "one for many", "colour", "space",
    #: "colours last", "more rows", "more labels", "a step", "off by one"; empty for any.
    value: str = ""
    #: A pattern that the bare words fit.
    words: str = ""
    #: Whether the rule's own fix is worth a second line.
    keeps: bool = False
