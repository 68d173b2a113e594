"""What ends an audit without a verdict: a source that cannot be read, or a question that makes no sense."""

from __future__ import annotations

from collections.abc import Iterable


class CannotAudit(ValueError):
    """The source or the settings cannot be used; the text says why in one line, and what to do instead."""


class Refused(CannotAudit):
    """A fixed copy would lose labels; nothing was written."""


def nearest(name: str, known: Iterable[str]) -> str:
    """`; the nearest are 'label' and 'labels'`, or all there is where nothing is near."""
    import difflib

    every = list(known)
    found = difflib.get_close_matches(name, every, n=3, cutoff=0.5)
    if found:
        return "; the nearest: " + ", ".join(map(repr, found))
    shown = ", ".join(map(repr, every[:12])) + (", ..." if len(every) > 12 else "")
    return f"; there are {shown}" if every else "; there are none"


def needs(package: str, extra: str, why: str) -> CannotAudit:
    """A package that is not installed, with the command that installs it."""
    return CannotAudit(f"{why} needs {package}, which is not installed: pip install 'lossguard[{extra}]'")
