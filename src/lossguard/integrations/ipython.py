"""`%load_ext lossguard`: the session is guarded, and findings are shown under the traceback as HTML.

`%lossguard off` and `%lossguard on` say whether every cell is guarded; `%%lossguard` guards its own cell.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from importlib import import_module
from types import TracebackType
from typing import Any

from lossguard.findings import Finding
from lossguard.guard.errors import reported
from lossguard.guard.guarding import guard
from lossguard.reports.html import render, render_folded
from lossguard.reports.lines import headline
from lossguard.reports.report import Report

#: Who guards every cell, and who guards the present one.
_WATCH: list[guard] = []
_CELL: list[guard] = []
_SHOWN: set[tuple[Any, ...]] = set()
#: The errors that a cell of `%%lossguard` has shown by itself, until it ends with them.
_TOLD: list[BaseException] = []


def load_ipython_extension(shell: Any) -> None:
    """Guard every cell from now on."""
    if _WATCH:
        return
    _WATCH.append(guard(brief=True).install())
    shell.set_custom_exc((Exception,), _show)
    shell.events.register("post_run_cell", _show_new)
    shell.register_magic_function(lambda line, cell=None: _magic(shell, line, cell), "line_cell", "lossguard")


def unload_ipython_extension(shell: Any) -> None:
    """Leave the session as it was."""
    while _WATCH:
        _WATCH.pop().remove()
    shell.set_custom_exc((), None)
    _SHOWN.clear()
    with contextlib.suppress(ValueError):
        shell.events.unregister("post_run_cell", _show_new)
    for magics in shell.magics_manager.magics.values():
        magics.pop("lossguard", None)


def _magic(shell: Any, line: str, cell: str | None) -> None:
    """`%lossguard on|off`, or a cell of its own guard: `%%lossguard --strict`."""
    parser = import_module("IPython.core.magic_arguments").MagicArgumentParser("lossguard")
    if cell is None:
        parser.add_argument("state", choices=("on", "off"), help="whether every cell is guarded")
        _switch(on=parser.parse_argstring(line).state == "on")
        return
    parser.add_argument("--fix", action="store_true", help="fix what is lossless and go on")
    parser.add_argument("--strict", action="store_true", help="stop at what torch accepts and should not")
    parser.add_argument("--allow", default="", metavar="RULES", help="codes or names that may be, with commas")
    options = parser.parse_argstring(line)
    allow = filter(None, map(str.strip, options.allow.split(",")))
    _run_cell(shell, cell, guard(fix=options.fix, strict=options.strict, allow=allow, brief=True))


def _switch(*, on: bool) -> None:
    if on and not _WATCH:
        _WATCH.append(guard(brief=True).install())
    while _WATCH and not on:
        _WATCH.pop().remove()


def _run_cell(shell: Any, cell: str, watch: guard) -> None:
    """Run one cell under its own guard, show what was found, and end as the cell does."""
    _CELL.append(watch)
    following, number = shell.execution_count, len(shell.user_ns.get("In", ())) - 1
    # The code inside is named after the cell that the user sees, whose first line is that of the magic.
    shell.execution_count = max(number, 1)
    try:
        with watch:
            result = shell.run_cell(f"# %%lossguard\n{cell}")
    finally:
        shell.execution_count = following
        _CELL.remove(watch)
    error = result.error_before_exec or result.error_in_exec
    if error is None or reported(error) is None:
        _display(render(watch.report), str(watch.report))
    if error is not None:
        _TOLD.append(error)
        raise error


def _show_new(_result: Any = None) -> None:
    """What torch took in silence in this cell: each warning can be opened in full."""
    for watch in () if _CELL else _WATCH:
        new = [finding for finding in watch.report if not finding.is_error and _identity(finding) not in _SHOWN]
        _SHOWN.update(map(_identity, new))
        if new:
            report = Report(tuple(new))
            _display(render_folded(report), "\n".join(map(headline, new)))


def _identity(finding: Finding) -> tuple[Any, ...]:
    return (finding.code, finding.argument, finding.place)


def _display(html: str, text: str) -> None:
    """Show a report; what shows no HTML shows the same as text."""
    import_module("IPython.display").display({"text/html": html, "text/plain": text}, raw=True)


def _show(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    """The traceback as always, and below it what was found, with colours and a table."""
    if any(told is error for told in _TOLD):
        _TOLD.clear()
        return
    watches: Iterable[guard] = _CELL[-1:] or _WATCH
    for watch in watches:
        watch.examine(error)
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    report = reported(error)
    if report is not None and report.findings:
        _display(render(report), str(report))
