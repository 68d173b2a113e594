"""`guard`: watch the losses of a block, a function or a whole process."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from lossguard.allowing import allowed_by_project, codes_of
from lossguard.facts import torch_versions  # noqa: F401 - it comes first, and refuses a torch that is too old
from lossguard.guard import active, seams
from lossguard.guard.accelerator import watching as accelerator
from lossguard.guard.autopsy import explain_exception
from lossguard.guard.calls import patching
from lossguard.guard.decorating import decorated
from lossguard.guard.errors import LossError, LossWarning
from lossguard.guard.log_records import log
from lossguard.guard.session import DEPTHS, RECORDS, Depth, Record, Session, Settings
from lossguard.reports.report import Report
from lossguard.tracing.evidence import recorders

P = ParamSpec("P")
R = TypeVar("R")


class guard:  # noqa: N801 - it is written like the functions beside it: `with lossguard.guard():`
    """Watch every torch loss that is called inside; say what is wrong with it, and change nothing.

    A context manager, a decorator, or `.install()` for the rest of the process:

        with lossguard.guard() as watch:
            train()
        print(watch.report)

    What torch refuses is raised by torch, with the diagnosis as a note. What it accepts and is suspicious
    becomes a `LossWarning`, once for each call site; `strict=True` raises instead. `fix=True` applies what
    is lossless and goes on. `deep` is when the input's values are looked at: on a "schedule" of the calls
    1, 2, 4, 8, ... of each site, "always" or "never". `allow` names rules that may be broken. With `notes=False`
    an exception is left as torch made it; what is wrong stands in `report` and is told by `lossguard.autopsy`.
    `record` is how long the user's own lines are recorded, which makes it sure where a fault came from: "auto" until
    every loss has been called a few times, "always", or "off". `replay=False` keeps from asking a dataset for a
    sample again, which happens in a read-only copy of the process, after a fault.
    """

    def __init__(
        self,
        *,
        fix: bool = False,
        strict: bool = False,
        deep: Depth | bool = "schedule",
        allow: Iterable[str] = (),
        brief: bool = False,
        notes: bool = True,
        record: Record = "auto",
        replay: bool | None = None,
    ) -> None:
        depth: Any = {True: "always", False: "never"}.get(deep, deep) if isinstance(deep, bool) else deep
        if depth not in DEPTHS:
            raise ValueError(f"deep is one of {', '.join(map(repr, DEPTHS))}; this is {deep!r}")
        if record not in RECORDS:
            raise ValueError(f"record is one of {', '.join(map(repr, RECORDS))}; this is {record!r}")
        allowed = codes_of(allow) | allowed_by_project()
        self._prepare(Settings(fix, strict, depth, allowed, brief, notes, record, replay=replay))

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """A guard with these settings and no others: the project's are not read again."""
        made = cls.__new__(cls)
        made._prepare(settings)  # noqa: SLF001 - the other constructor
        return made

    def _prepare(self, settings: Settings) -> None:
        self.session = Session(settings)
        self._watch = seams.loader_watch()
        self._depth = 0
        self._lock = threading.Lock()

    @property
    def report(self) -> Report:
        """What was found so far, each finding once for each call site, with `times` and `first_step`."""
        return self.session.report

    def __enter__(self) -> Self:
        self._begin()
        active.enter(self.session)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        active.leave(self.session)
        self._end()
        if error is None or isinstance(error, Exception):
            accelerator.finish(self.session, quietly=error is not None)
        if isinstance(error, Exception):
            self.examine(error)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Guard every call of `function`, which may be a coroutine function or a generator."""
        return decorated(self, function)

    @contextmanager
    def at_intervals(self) -> Iterator[Callable[[], AbstractContextManager[Any]]]:
        """Guard work that is done bit by bit: what is given is to be entered around each bit of it."""

        @contextmanager
        def bit() -> Iterator[None]:
            active.enter(self.session)
            try:
                yield
            finally:
                active.leave(self.session)

        self._begin()
        try:
            yield bit
        except Exception as error:
            self._end()
            accelerator.finish(self.session, quietly=True)
            self.examine(error)
            raise
        except BaseException:
            self._end()
            raise
        self._end()
        accelerator.finish(self.session)

    def install(self) -> Self:
        """Watch the whole process, all threads, until `remove`."""
        self._begin()
        active.EVERYWHERE.append(self.session)
        return self

    def remove(self) -> None:
        """End what `install` began."""
        if self.session in active.EVERYWHERE:
            active.EVERYWHERE.remove(self.session)
            self._end()
            # Whoever calls this is through with his program: what is found now is written down and not raised.
            accelerator.finish(self.session, quietly=True)

    def examine(self, error: BaseException) -> Report:
        """Explain an exception that is about to leave the guard, and write down what killed the program."""
        if isinstance(error, LossError):
            return error.report
        if isinstance(error, LossWarning):
            return Report()
        try:
            settings = self.session.settings
            seen = self.session.ledger.report().findings
            report = explain_exception(error, note=settings.notes, replay=settings.replay, seen=seen)
        except Exception as trouble:  # noqa: BLE001 - our own trouble must never hide the program's
            self.session.trouble(trouble)
            return Report()
        # What the loss raised is written down already, also if the program has wrapped it in an exception of its own.
        for finding in self.session.ledger.add_new(report.findings):
            if not self.session.settings.quiet:
                log(finding)
        return report

    def _begin(self) -> None:
        with self._lock:
            self._depth += 1
            if self._depth == 1:
                patching.install()
                if self._watch is not None:
                    self._watch.install()
                if (how := self.session.settings.record) != "off":
                    recorders.begin(sys._getframe(2), always=how == "always")  # noqa: SLF001 - its documented name

    def _end(self) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                patching.remove()
                recorders.seen_enough()
                if self._watch is not None:
                    self._watch.remove()
