"""Rewritten programs run under the guard: whether tracing still names the line that made the value bad."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import lossguard
from rewriting import rewritten
from warm_runs import first_report, forked

T = TypeVar("T")
TRACED = Path(__file__).parent / "traced_programs"


@dataclass(frozen=True)
class Outcome:
    """What tracing said of a rewritten program."""

    #: "right", "open" if no line was named, "wrong", or "not found" if the run ended otherwise than with its finding.
    word: str
    #: The line that was named first, or what came instead of a finding.
    said: str
    guilty: frozenset[str] = frozenset()


def usable_programs() -> list[Path]:
    """The traced programs that are files, whose libraries are there."""
    found = []
    for script in sorted(TRACED.glob("*/main.py")):
        source = script.read_text(encoding="utf-8")
        missing = any(f"import {name}" in source and find_spec(name) is None for name in ("datasets", "webdataset"))
        if not missing and "notebook" not in script.parent.name:
            found.append(script.parent)
    return found


def forked_with_optimizers(work: Callable[[], T]) -> T:
    """What `work` gives in a fork of this process, which has loaded what the first optimizer of a process loads."""
    import torch._dynamo  # noqa: F401 - costs a second, so once for all forks

    return forked(work)


def run_rewritten(name: str, program: Path) -> Outcome | None:
    """Rewrite a program and run it under the guard; None if the rewriting does not apply."""
    with tempfile.TemporaryDirectory(prefix="lossguard-rewritten-") as folder:
        new = rewritten(name, program, Path(folder))
        if new is None:
            return None
        code = (program / "main.py").read_text(encoding="utf-8").removeprefix('"""').partition(":")[0]
        try:
            report = forked_with_optimizers(lambda: first_report(new.script, WORKERS="0"))
        except (AssertionError, ChildProcessError, TimeoutError) as error:
            return Outcome("not found", str(error)[-200:], new.guilty)
    return judged(report, code, new.guilty)


def judged(report: lossguard.Report, code: str, guilty: Collection[str]) -> Outcome:
    """Whether the line that a report names first for a code is one of the guilty ones."""
    finding = next((finding for finding in report if finding.code == code), None)
    if finding is None:
        return Outcome("not found", f"{code} is not in {[finding.code for finding in report]}", frozenset(guilty))
    if not finding.origin:
        return Outcome("open", "", frozenset(guilty))
    place = finding.origin[0].place
    said = f"{Path(place.file).name}:{place.line}"
    return Outcome("right" if said in guilty else "wrong", said, frozenset(guilty))
