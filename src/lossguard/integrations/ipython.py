"""`%load_ext lossguard`: the session is guarded, and findings are shown under the traceback as HTML."""

from __future__ import annotations

import contextlib
from importlib import import_module
from types import TracebackType
from typing import Any

from lossguard.findings import Finding
from lossguard.guard.errors import reported
from lossguard.guard.guarding import guard
from lossguard.reports.html import render_folded
from lossguard.reports.lines import headline
from lossguard.reports.report import Report

_WATCH: list[guard] = []
_SHOWN: set[tuple[Any, ...]] = set()


def load_ipython_extension(shell: Any) -> None:
    """Guard every cell from now on."""
    if _WATCH:
        return
    _WATCH.append(guard(brief=True).install())
    shell.set_custom_exc((Exception,), _show)
    shell.events.register("post_run_cell", _show_new)


def unload_ipython_extension(shell: Any) -> None:
    """Leave the session as it was."""
    while _WATCH:
        _WATCH.pop().remove()
    shell.set_custom_exc((), None)
    _SHOWN.clear()
    with contextlib.suppress(ValueError):
        shell.events.unregister("post_run_cell", _show_new)


def _show_new(_result: Any = None) -> None:
    """What torch took in silence in this cell: each warning can be opened in full."""
    for watch in _WATCH:
        new = [finding for finding in watch.report if not finding.is_error and _identity(finding) not in _SHOWN]
        _SHOWN.update(map(_identity, new))
        if new:
            report = Report(tuple(new))
            shown = {"text/html": render_folded(report), "text/plain": "\n".join(map(headline, new))}
            import_module("IPython.display").display(shown, raw=True)


def _identity(finding: Finding) -> tuple[Any, ...]:
    return (finding.code, finding.argument, finding.place)


def _show(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    """The traceback as always, and below it what was found, with colours and a table."""
    for watch in _WATCH:
        watch.examine(error)
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    report = reported(error)
    if report is not None and report.findings:
        import_module("IPython.display").display(report)
