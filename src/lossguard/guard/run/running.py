"""`lossguard run`: a program under guard from its first import of torch to its last thread."""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any

from lossguard.guard.run.program import CannotRun, Program, without_us
from lossguard.guard.run.writing import show, write_file
from lossguard.reports.report import Report
from lossguard.tracing import recorder

if TYPE_CHECKING:
    from lossguard.guard.guarding import guard


@dataclass(slots=True)
class Run:
    """One run of a program, and what was asked of it."""

    program: Program
    fix: bool = False
    strict: bool = False
    deep: bool = False
    allow: frozenset[str] = frozenset()
    record: str = "auto"
    file: Path | None = None
    as_json: bool = False
    _watch: guard | None = None
    _spool: Any = None
    _fatal: Report = field(default_factory=Report)

    def execute(self) -> int:
        """Run the program to its end and say what was found. What it exits with is what we exit with."""
        self.program.check()
        with tempfile.TemporaryDirectory(prefix="lossguard-") as folder:
            _when_torch_is_imported(lambda: self._begin(folder))
            threading.excepthook = _also_examine(self._examine, threading.excepthook)
            if self.file is not None:
                self._write_when_terminated()
            if self.record != "off":
                recorder.begin(always=self.record == "always")
            try:
                code = self._run()
            except CannotRun:
                # Nothing ran, so there is nothing to report.
                raise
            except BaseException:
                self._finish()
                raise
            self._finish()
        return 1 if not code and self.strict and self._report().findings else code

    def _begin(self, folder: str) -> None:
        """Torch is there: guard it, and the processes that will be started."""
        from lossguard.guard.guarding import guard
        from lossguard.guard.run.children import Spool, follow

        deep = "always" if self.deep else "schedule"
        self._watch = guard(
            fix=self.fix,
            deep=deep,  # type: ignore[arg-type]
            allow=self.allow,
            brief=True,
            record=self.record,  # type: ignore[arg-type]
        ).install()
        self._spool = Spool(folder)
        follow(self._watch, self._spool)

    def _run(self) -> int:
        try:
            self.program.run()
            _wait_for_threads()
        except CannotRun:
            raise
        except SystemExit as end:
            _wait_for_threads()
            return _exit_code(end)
        except KeyboardInterrupt as error:
            self._show(error)
            # Python itself ends by the signal then, so that a shell sees an interrupted program.
            sys.excepthook = lambda *_: None
            raise
        except BaseException as error:  # noqa: BLE001 - the program's own end, shown as Python shows it
            self._examine(error)
            error.__traceback__ = without_us(error.__traceback__)
            _tell_torchrun(error)
            self._show(error)
            _wait_for_threads()
            return 1
        return 0

    def _examine(self, error: BaseException) -> None:
        if self._watch is not None and isinstance(error, Exception):
            self._fatal += self._watch.examine(error)

    def _show(self, error: BaseException) -> None:
        sys.stdout.flush()
        trace = error.__traceback__ = without_us(error.__traceback__)
        sys.excepthook(type(error), error, trace)

    def _report(self) -> Report:
        if self._watch is None:
            return Report()
        return self._watch.report

    def _finish(self) -> None:
        """Say and write what was found, also when the program was interrupted."""
        recorder.seen_enough()
        if self._watch is not None:
            self._watch.remove()
            self._watch.session.ledger.add(self._spool.read())
        report = self._report()
        troubles = list(self._watch.session.troubles) if self._watch is not None else []
        if self.file is not None:
            try:
                write_file(report, self.file)
            except OSError as error:
                sys.stderr.write(f"lossguard: the report cannot be written: {error}\n")
        show(report, self._fatal, troubles, as_json=self.as_json)

    def _write_when_terminated(self) -> None:
        """A program that is told to end writes its report first, and then ends by the same signal."""
        if threading.current_thread() is not threading.main_thread() or os.name != "posix":
            return

        def handler(number: int, frame: FrameType | None) -> None:
            del frame
            if self.file is not None:
                write_file(self._report(), self.file)
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, handler)


def _exit_code(end: SystemExit) -> int:
    """The code that Python would exit with."""
    if end.code is None:
        return 0
    if isinstance(end.code, int):
        return end.code
    print(end.code, file=sys.stderr)  # noqa: T201 - as Python itself does
    return 1


def _wait_for_threads() -> None:
    """Wait for the program's threads, as Python does before it ends."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


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

    get_error_handler().record_exception(error)


def _when_torch_is_imported(act: Callable[[], None]) -> None:
    """Call `act` as soon as the program has imported torch: not before, for the program may set things up first."""
    if "torch" in sys.modules:
        act()
    else:
        sys.meta_path.insert(0, _TorchFinder(act))


class _TorchFinder(importlib.abc.MetaPathFinder):
    """Sees the import of torch, steps aside, and acts when it is done."""

    def __init__(self, act: Callable[[], None]) -> None:
        self.act = act

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of torch, with a loader that acts afterwards; nothing for any other module."""
        del path, target
        if fullname != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("torch")
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            load(module)
            self.act()

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
