"""Whether there is anything at the place that a user names. This is asked before any package is needed to read it."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import Any

from lossguard.audit.sources.importing import is_object
from lossguard.audit.trouble import CannotAudit, nearest


def matching(pattern: str) -> list[str]:
    """The files that match a pattern, sorted."""
    return sorted(file for file in glob.glob(pattern, recursive=True) if Path(file).is_file())  # noqa: PTH207


def check_there(source: Any) -> None:
    """Raise `CannotAudit` if a path names no file and no folder; what is no path passes."""
    if isinstance(source, list | tuple) and source and all(isinstance(each, os.PathLike) for each in source):
        for each in source:
            check_there(each)
        return
    if isinstance(source, os.PathLike):
        source = os.fspath(source)
    if not isinstance(source, str) or "://" in source or is_object(source):
        return
    try:
        if Path(source).exists():
            return
    except OSError as error:
        raise CannotAudit(f"{source} cannot be read: {error.strerror}") from None
    if any(mark in source for mark in "*?["):
        if not matching(source):
            raise CannotAudit(f"no file matches {source}")
        return
    folder = Path(source).parent
    siblings = [str(each) for each in folder.iterdir()] if folder.is_dir() else []
    raise CannotAudit(f"there is no {source}{nearest(source, siblings)}")
