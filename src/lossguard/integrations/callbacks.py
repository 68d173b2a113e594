"""What the callbacks of all frameworks share: a guard that begins and ends with their hooks."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from types import FrameType
from typing import Any

from lossguard.allowing import allowed_by_project, codes_of
from lossguard.findings import Finding
from lossguard.guard.calls.sites import Site
from lossguard.guard.guarding import guard
from lossguard.guard.ledger import Entered, Ledger
from lossguard.guard.run.spool import Spool
from lossguard.guard.session import Moment, Settings
from lossguard.reports.report import Report


def needed(module: str, package: str) -> Any:
    """The module of a framework; where it is missing, the error names the command that installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):
            # The framework is there, and what is missing is something that it needs itself.
            raise
        raise ModuleNotFoundError(f"{package} is not installed: pip install {package}", name=error.name) from None


class Watch:
    """A guard that is switched on and off by the hooks of a framework, and remembers when each fault was first seen."""

    def __init__(self, *, fix: bool = False, strict: bool = False, allow: Iterable[str] = ()) -> None:
        # A subclass of a framework's callback must pickle with it, so no guard is made before it is needed.
        self._settings = Settings(fix=fix, strict=strict, allow=codes_of(allow) | allowed_by_project())
        self._guard: guard | None = None
        self._on = False
        #: Where the program is: epoch, batch, rank, whatever the framework tells.
        self.moment: Mapping[str, Any] = {}
        self._first_seen: dict[tuple[str, str, Any], Mapping[str, Any]] = {}
        #: Through which copies in other processes bring home what they find.
        self._spool: Spool | None = None

    def __getstate__(self) -> dict[str, Any]:
        """A callback is copied to other processes: the copy begins anew there, and this one will tell what it found."""
        if self._spool is None:
            self._spool = Spool.make()
            weakref.finalize(self, self._spool.remove)
        return {**vars(self), "_guard": None, "_on": False, "_first_seen": {}, "moment": {}}

    def begin(self) -> None:
        """Guard from now on; twice is once."""
        if self._on:
            return
        if self._guard is None:
            self._guard = guard.of(self._settings)
            self._guard.session.ledger.keep = self._note
        self._guard.install()
        self._on = True

    def end(self) -> None:
        """Stop guarding; what was found stays."""
        if self._on and self._guard is not None:
            self._guard.remove()
            self._on = False
            self._bring_home()

    def examine(self, error: BaseException) -> None:
        """Explain an exception that is about to end the training."""
        if self._guard is not None:
            self._guard.examine(error)
            self._bring_home()

    def tell(self, report: Report, arguments: Mapping[str, Any], frame: FrameType | None) -> None:
        """Say what was seen before a call of a loss, at the user's line in `frame`: as the guard says its own."""
        if self._guard is not None and report.findings:
            self._guard.session.tell(report, Moment(Site(("ahead",)), frame, arguments, "ahead"))

    @property
    def report(self) -> Report:
        """What was found, here and by copies elsewhere, each fault with the moment at which it was first seen."""
        found = Report() if self._guard is None else self._guard.report
        own = tuple(map(self._with_moment, found.findings))
        others = () if self._spool is None else tuple(each.counted() for each in self._spool.read())
        return replace(found, findings=own + others)

    def entries(self) -> list[Entered]:
        """What was found here, to be brought home."""
        entries = [] if self._guard is None else self._guard.session.ledger.entries()
        return [replace(each, finding=self._with_moment(each.finding)) for each in entries]

    def _with_moment(self, finding: Finding) -> Finding:
        moment = self._first_seen.get((finding.code, finding.argument, finding.place), {})
        return replace(finding, evidence={**finding.evidence, **moment})

    def _note(self, ledger: Ledger) -> None:
        for entered in ledger.entries():
            each = entered.finding
            self._first_seen.setdefault((each.code, each.argument, each.place), dict(self.moment))
        self._bring_home()

    def _bring_home(self) -> None:
        if self._spool is not None:
            self._spool.write(self)
