"""How the guard speaks inside a program: warnings for what torch accepts, errors for what would do harm."""

from __future__ import annotations

import contextlib
import pickle
import warnings
from types import TracebackType
from typing import Any, Final

from lossguard.findings import Finding
from lossguard.interruptions import let_through
from lossguard.paths import OURS
from lossguard.reports.report import Report
from lossguard.reports.text import render_finding
from lossguard.rules.registry import find_rule

_REPORT: Final = "lossguard_report"
_CALL: Final = "lossguard_call"


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


def warn_at(text: str, file: str, line: int, module: str, registry: dict[Any, Any]) -> None:
    """Warn at a line through the standard filters.

    A filter that makes errors of all warnings was not meant for ours: it would end a program that works. It is shown
    then, as it is without such a filter. One that names `LossWarning` makes an error of it. A way of the program's own
    to show warnings may fail at ours; then the report alone has it.
    """
    try:
        warnings.warn_explicit(text, LossWarning, file, line, module, registry)
    except LossWarning as raised:
        errors: list[Any] = [kind for action, _, kind, *_ in warnings.filters if action == "error"]
        if any(issubclass(kind, LossWarning) for kind in errors):
            raise
        _shown(raised, file, line)
    except Exception as error:  # noqa: BLE001 - see above
        let_through(error)


def _shown(warning: LossWarning, file: str, line: int) -> None:
    try:
        warnings.showwarning(warning, LossWarning, file, line)
    except Exception as error:  # noqa: BLE001 - see above
        let_through(error)


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


class _Attached:
    """A report on an exception. Where the exception is sent or saved it is bytes: they are read without lossguard."""

    __slots__ = ("report",)

    def __init__(self, report: Report) -> None:
        self.report = report

    def __reduce__(self) -> Any:
        return bytes, (pickle.dumps(self.report),)


def reported(error: BaseException) -> Report | None:
    """The report that was already attached to `error`, in this process or where it comes from."""
    found = _held_by(error).get(_REPORT)
    if isinstance(found, bytes):
        try:
            found = _Attached(pickle.loads(found))  # noqa: S301 - from an exception that was unpickled itself
        except Exception:  # noqa: BLE001 - written by another version
            return None
    return found.report if isinstance(found, _Attached) else None


def attach(error: BaseException, report: Report, *, note: bool = True) -> None:
    """Add the findings to `error`, once, and as a note if one is wanted; its type and text stay as they are."""
    if reported(error) is not None or not report.findings:
        return
    held = _held_by(error)
    held[_REPORT] = _Attached(report)
    held.pop(_CALL, None)
    if note and not _is_told(error, report):
        text = words(report)
        # An exception of the program's own may have a method of this name, or notes that are no list.
        with contextlib.suppress(Exception):
            error.add_note(text)


def mark(error: BaseException, report: Report) -> None:
    """Let `error` be known as explained by `report`, without a word: the exception it came from has the note."""
    if reported(error) is None:
        _held_by(error)[_REPORT] = _Attached(report)


def carry(error: BaseException, call: Any) -> None:
    """Let an autopsy of `error` find the call that it came from, though no frame shows it."""
    _held_by(error)[_CALL] = call


def carried(error: BaseException) -> Any:
    """The call that `error` came from, if it was not explained at once."""
    return _held_by(error).get(_CALL)


def _held_by(error: BaseException) -> dict[str, Any]:
    """The attributes of `error`, past whatever its class does when it is asked for one."""
    try:
        held = object.__getattribute__(error, "__dict__")
    except AttributeError:
        return {}
    return held if isinstance(held, dict) else {}


def _is_told(error: BaseException, report: Report) -> bool:
    """Whether the text or the notes of `error` hold these findings: it may come from another process, as text."""
    try:
        notes: Any = getattr(error, "__notes__", ())
        text = "\n".join((str(error), *map(str, notes)))
    except Exception:  # noqa: BLE001 - an exception of the program's own may fail at anything
        return False
    return all(f"[{finding.code}] {finding.name}:" in text for finding in report.findings)


def leave(error: BaseException) -> None:
    """Cut the frame of the wrapper that `error` is about to leave from its traceback, ours after it and at the end.

    To be called where the error was caught; a bare `raise` must follow. An exception of the program's own may forbid
    that its attributes are set, so its class is not asked.
    """
    trace = error.__traceback__
    BaseException.with_traceback(error, None if trace is None else _without_us(trace.tb_next))


def _without_us(first: TracebackType | None) -> TracebackType | None:
    while first is not None and first.tb_frame.f_code.co_filename.startswith(OURS):
        first = first.tb_next
    inner, last = first, None
    while inner is not None:
        if not inner.tb_frame.f_code.co_filename.startswith(OURS):
            last = inner
        inner = inner.tb_next
    if last is None:
        return None
    last.tb_next = None
    return first
