"""`lossguard run`: a program under guard from its first import of torch to its last thread.

The program ends as it would without us: we return its exit code, and Python waits for threads, stops pools and calls
exit callbacks as always. Ours was registered before the program began, so it is the last of them; there the report
is finished. A report file is also written at each new finding, for programs that are killed or call `os._exit`.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lossguard.guard.run.importing import when_torch_is_imported
from lossguard.guard.run.program import CannotRun, Program, without_us
from lossguard.guard.run.tracebacks import displayed
from lossguard.guard.run.writing import ReportFile, say, show
from lossguard.reports.formats import DOCUMENTS
from lossguard.reports.report import Report
from lossguard.tracing.evidence import recorders

if TYPE_CHECKING:
    from lossguard.guard.guarding import guard
    from lossguard.guard.ledger import Ledger
    from lossguard.guard.run.spool import Spool


@dataclass(slots=True)
class Run:
    """One run of a program, and what was asked of it."""

    program: Program
    fix: bool = False
    strict: bool = False
    deep: bool = False
    allow: frozenset[str] = frozenset()
    record: Literal["auto", "off", "always"] = "auto"
    replay: bool | None = None
    file: Path | None = None
    form: str = "text"
    _watch: guard | None = None
    _spool: Spool | None = None
    _report_file: ReportFile | None = None
    _unwatched: dict[str, None] = field(default_factory=dict)
    _fatal: Report = field(default_factory=Report)
    _process: int = field(default_factory=os.getpid)
    _code: int = 0

    def execute(self) -> int:
        """Run the program and return the code that it ends with; what was found is said at the end of the process."""
        self.program.check()
        self._report_file = None if self.file is None else ReportFile(self.file, self.form)
        atexit.register(self._finish)
        when_torch_is_imported(self._begin)
        # Both names, for there are programs that ask whether they are the same.
        threading.excepthook = threading.__excepthook__ = _also_examine(self._examine, threading.excepthook)
        if self.record != "off":
            recorders.begin(always=self.record == "always")
        try:
            self._code = self._run()
        except CannotRun:
            # Nothing ran, so there is nothing to report.
            atexit.unregister(self._finish)
            raise
        finally:
            recorders.seen_enough()
            self.program.leave()
        return self._code

    def _begin(self) -> None:
        """Torch is there: guard it, and the processes that will be started. A guard that cannot be is no harm."""
        try:
            from lossguard.guard.guarding import guard
            from lossguard.guard.run.children import follow, note_commands
            from lossguard.guard.run.spool import Spool
            from lossguard.guard.session import Settings

            deep: Literal["always", "schedule"] = "always" if self.deep else "schedule"
            settings = Settings(
                self.fix, deep=deep, allow=self.allow, brief=True, record=self.record, replay=self.replay
            )
            watch = guard.of(settings)
            watch.session.ledger.keep = self._keep
            self._watch, self._spool = watch.install(), Spool.make()
            follow(watch, self._spool)
            note_commands(self._unwatched.setdefault)
            self._keep(watch.session.ledger)
        except Exception as error:  # noqa: BLE001 - the program must run, watched or not
            say(f"lossguard: the program runs unwatched: {error}")

    def _keep(self, ledger: Ledger) -> None:
        """Something new was found: write it down at once, for nobody knows how the program ends."""
        if self._report_file is not None and os.getpid() == self._process:
            self._report_file.write(ledger.report(), unwatched=self._unwatched, ended=False)

    def _run(self) -> int:
        try:
            self.program.run()
        except CannotRun:
            raise
        except SystemExit as end:
            if self.strict and not end.code and self._report().findings:
                return 1
            self._code = 1 if end.code else 0
            raise
        except BaseException as error:  # noqa: BLE001 - the program's own end, shown as Python shows it
            raised = error
        else:
            return 1 if self.strict and self._report().findings else 0
        # No exception is being handled any more, as when Python calls a hook.
        self._examine(raised)
        raised.__traceback__ = without_us(raised.__traceback__)
        if not isinstance(raised, KeyboardInterrupt):
            _tell_torchrun(raised)
        self._show(raised)
        self._code = 1
        if isinstance(raised, KeyboardInterrupt):
            # Python itself ends by the signal then, so that a shell sees an interrupted program.
            sys.excepthook = lambda *_: None
            raise raised
        return 1

    def _examine(self, error: BaseException) -> None:
        if self._watch is not None and isinstance(error, Exception):
            self._fatal += self._watch.examine(error)

    def _show(self, error: BaseException) -> None:
        """Show an exception as Python does at the end of a program."""
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        trace = error.__traceback__
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
        if not hasattr(sys, "excepthook"):
            say("".join(["sys.excepthook is missing\n", *traceback.format_exception(error)]).rstrip())
            return
        # Above a diagnosis the frames of a framework are in the way; a hook of the program's own gets them all.
        plain = sys.excepthook is sys.__excepthook__ and bool(self._fatal.findings)
        with contextlib.suppress(Exception):
            if plain and (told := displayed(error)) is not None:
                say(told.rstrip("\n"))
                return
        try:
            sys.excepthook(type(error), error, trace)
        except SystemExit:
            raise
        except BaseException as second:  # noqa: BLE001 - the program's own hook; Python shows both
            second.__traceback__ = without_us(second.__traceback__)
            shown = ["Error in sys.excepthook:\n", *traceback.format_exception(second), "\nOriginal exception was:\n"]
            say("".join([*shown, *traceback.format_exception(error)]).rstrip())

    @property
    def _said_form(self) -> str:
        """How to say what was found: a document that goes into the file is said in words as well."""
        return "text" if self._report_file is not None and self.form in DOCUMENTS else self.form

    def _report(self) -> Report:
        return Report() if self._watch is None else self._watch.report

    def _finish(self) -> None:
        """Say and write what was found. A child that was forked and ends by itself only brings home what it found."""
        recorders.seen_enough()
        if self._watch is None or self._spool is None:
            if self._report_file is not None and os.getpid() == self._process:
                self._report_file.write(Report(), unwatched=self._unwatched, ended=True)
            return
        if os.getpid() != self._process:
            self._spool.write(self._watch.session.ledger)
            return
        self._watch.remove()
        self._watch.session.ledger.add(self._spool.read())
        self._spool.remove()
        report = self._report()
        trouble = None
        if self._report_file is not None:
            trouble = self._report_file.write(report, unwatched=self._unwatched, ended=True)
        show(report, self._fatal, self._watch.session.troubles, self._unwatched, form=self._said_form)
        if trouble is not None:
            say(f"lossguard: the report cannot be written: {trouble}")
        if self.strict and not self._code and report.findings:
            # Found by a thread or a child that ended after the program; no other way leads to another exit code now.
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):
                    stream.flush()
            os._exit(1)


def _also_examine(examine: Callable[[BaseException], None], previous: Callable[..., Any]) -> Callable[..., Any]:
    def hook(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            examine(args.exc_value)
        previous(args)

    return hook


def _tell_torchrun(error: BaseException) -> None:
    """Under torchrun the failing rank's traceback, with our note, goes into the summary of errors."""
    if "TORCHELASTIC_ERROR_FILE" not in os.environ or "torch" not in sys.modules:
        return
    from torch.distributed.elastic.multiprocessing.errors import get_error_handler

    trace = error.__traceback__
    try:
        raise error  # noqa: TRY301 - to be handled just below
    except BaseException:  # noqa: BLE001 - torch writes down the exception that is being handled
        error.__traceback__ = trace
        get_error_handler().record_exception(error)
