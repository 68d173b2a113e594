"""How the guard speaks inside a program: warnings for what torch accepts, errors for what would do harm."""

from __future__ import annotations

import contextlib
from typing import Any

from lossguard.findings import Finding
from lossguard.reports.report import Report
from lossguard.reports.text import render_finding
from lossguard.rules.registry import find_rule


class LossWarning(UserWarning):
    """Torch accepts this call, and the number is probably not what was meant."""


class LossError(Exception):
    """A call that the guard refuses: it would corrupt memory or kill the device, or `strict` was asked for.

    It is raised as a subclass that is also the builtin type torch uses for the same fault on the CPU, so
    `except IndexError` still works. `report` holds the findings.
    """

    def __init__(self, message: str, report: Report | None = None) -> None:
        super().__init__(message, report)
        self.message = message
        self.report = report if report is not None else Report()

    def __str__(self) -> str:
        return self.message


class LossIndexError(LossError, IndexError):
    """A label or an index out of its range."""


class LossValueError(LossError, ValueError):
    """Values or shapes that the loss cannot mean."""


class LossTypeError(LossError, TypeError):
    """Something that is not what the loss takes."""


class LossRuntimeError(LossError, RuntimeError):
    """What torch would report as a RuntimeError."""


_KINDS: dict[str, type[LossError]] = {
    "IndexError": LossIndexError,
    "TypeError": LossTypeError,
    "RuntimeError": LossRuntimeError,
    "NotImplementedError": LossRuntimeError,
}


def error_for(report: Report) -> LossError:
    """The error to raise for these findings, typed after the first one."""
    finding = report.findings[0]
    return _kind_of(finding)(words(report), report)


def _kind_of(finding: Finding) -> type[LossError]:
    """The type torch itself uses, as the examples of the rule tell it; a range is always an IndexError."""
    if finding.name.endswith("out-of-range"):
        return LossIndexError
    raising = [example for example in find_rule(finding.code).examples if example.torch.startswith("raises")]
    own = [example for example in raising if example.loss.rpartition(".")[2] == finding.loss]
    raised = (own or raising)[:1]
    return _KINDS.get(raised[0].torch.removeprefix("raises "), LossValueError) if raised else LossValueError


def words(report: Report) -> str:
    """All findings as text, for a note or an error."""
    return "\n\n".join(render_finding(finding) for finding in report.findings)


def reported(error: BaseException) -> Report | None:
    """The report that was already attached to `error`."""
    found: Any = getattr(error, "lossguard_report", None)
    return found if isinstance(found, Report) else None


def attach(error: BaseException, report: Report) -> None:
    """Add the findings to `error` as a note, once; its type and text stay as they are."""
    if reported(error) is not None or not report.findings:
        return
    # Some exceptions of C extensions take no attributes; those get the note only.
    with contextlib.suppress(AttributeError):
        error.lossguard_report = report  # type: ignore[attr-defined]
    error.add_note(words(report))
