"""`%load_ext lossguard`: the session is guarded, and findings are shown under the traceback as HTML."""

from __future__ import annotations

from importlib import import_module
from types import TracebackType
from typing import Any

from lossguard.guard.errors import reported
from lossguard.guard.guarding import guard

_WATCH: list[guard] = []


def load_ipython_extension(shell: Any) -> None:
    """Guard every cell from now on."""
    if _WATCH:
        return
    _WATCH.append(guard(brief=True).install())
    shell.set_custom_exc((Exception,), _show)


def unload_ipython_extension(shell: Any) -> None:
    """Leave the session as it was."""
    while _WATCH:
        _WATCH.pop().remove()
    shell.set_custom_exc((), None)


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
