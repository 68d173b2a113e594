"""One guard at work: what it was asked for, what it has seen, and how it speaks about it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import CodeType, FrameType
from typing import Any, Final, Literal

from lossguard.facts.torch_versions import one_thread
from lossguard.findings import Finding, Place, Severity
from lossguard.guard import active, seams
from lossguard.guard.allowing import allowed_by_remark
from lossguard.guard.calls.sites import Site, calling_frame, is_due, place_of, users_frame
from lossguard.guard.errors import attach, error_for, warn_at
from lossguard.guard.frames import untouched
from lossguard.guard.ledger import Ledger
from lossguard.guard.log_records import log
from lossguard.interruptions import let_through
from lossguard.paths import source_lines
from lossguard.reports.lines import headline
from lossguard.reports.report import Report
from lossguard.reports.text import render_finding
from lossguard.rules.registry import UnknownRule
from lossguard.tracing.evidence.recorders import seen_losses

Depth = Literal["schedule", "always", "never"]
Record = Literal["auto", "off", "always"]
RECORDS: Final = ("auto", "off", "always")
DEPTHS: Final = ("schedule", "always", "never")
#: This many failures of a site are looked at one by one; after that the 128th, 256th, ...
_FAILURES_LOOKED_AT: Final = 64


@dataclass(frozen=True, slots=True)
class Settings:
    """What was asked of a guard."""

    fix: bool = False
    strict: bool = False
    deep: Depth = "schedule"
    allow: frozenset[str] = frozenset()
    #: Whether a warning is the headline only, because the whole is shown at the end.
    brief: bool = False
    #: Whether what torch raises gets the findings as a note.
    notes: bool = True
    record: Record = "auto"
    #: Whether nothing is said while the program runs: whoever asked for it reads the report and says it elsewhere.
    quiet: bool = False
    #: Whether a dataset may be asked for a sample again, in a process of its own. None: the environment says it.
    replay: bool | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """One call that is being judged: where it is made, with what, and what made us look."""

    site: Site
    frame: FrameType | None
    arguments: Mapping[str, Any]
    #: What made us look: "schedule", "raised", "result", "values", "shapes".
    kind: str
    #: Where it was made, when there is no frame any more.
    place: Place | None = None


@dataclass(slots=True)
class Session:
    """A guard between its beginning and its end."""

    settings: Settings
    ledger: Ledger = field(default_factory=Ledger)
    sites: dict[tuple[Any, ...], Site] = field(default_factory=dict)
    #: For each loss the places that call it, found by how many frames away which instruction of which code stands.
    recent_sites: dict[str, tuple[tuple[int, CodeType, int, Site], ...]] = field(default_factory=dict)
    #: Flags of accelerators that are on their way to the host.
    pending: list[Any] = field(default_factory=list)
    #: Sites whose labels look bad on the host and are made good on the device: not worth a second wait.
    remapped: set[tuple[Any, ...]] = field(default_factory=set)
    #: Sites whose last result on an accelerator was bad and could not be explained: the call, and how it came out.
    suspects: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    #: What went wrong inside the guard itself: never the program's trouble, but worth a bug report.
    troubles: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def looks_deep(self, site: Site) -> bool:
        """Whether the latest call of a site gets the deep look; it is counted if so."""
        calls = site.calls
        if calls > 2 and site.is_loss and all(each.calls > 2 for each in list(self.sites.values()) if each.is_loss):
            seen_losses()
        deep = self.settings.deep
        due = is_due(calls) if deep == "schedule" else deep == "always"
        site.looks += due
        return due

    def tripped(self, site: Site, kind: str) -> bool:
        """Count a trip; whether it is one to look at: the 1st, 2nd, 4th, ... of its kind at this site."""
        with self._lock:
            times, codes = site.trips.get(kind, (0, ()))
            times += 1
            site.trips[kind] = (times, codes)
            site.looks += 1
        if is_due(times) or (kind == "raised" and times <= _FAILURES_LOOKED_AT):
            return True
        self.ledger.count(site.key, codes)
        return False

    def tell_error(self, report: Report, moment: Moment, error: BaseException) -> None:
        """Torch has raised `error` itself: write the findings down and add them to it as a note."""
        report, _ = self._entered(report, moment)
        attach(error, report, note=self.settings.notes)

    def tell(self, report: Report, moment: Moment, *, refuse: bool = False) -> None:
        """Say what torch would not: once for each site as a warning, or by raising when asked to or needed."""
        report, new = self._entered(report, moment)
        if report.findings and (refuse or self.settings.strict):
            raise error_for(report)
        for finding in new:
            self.warn(headline(finding) if self.settings.brief else render_finding(finding), moment.frame)

    def tell_fixed(self, report: Report, moment: Moment) -> None:
        """Say once what was fixed, with what makes it permanent."""
        fixed = tuple(
            replace(
                finding,
                severity=Severity.WARNING,
                refused=False,
                evidence={**finding.evidence, "fixed": True},
                message=f"{finding.message}; fixed, nothing is lost",
            )
            for finding in report.findings
            if finding.is_error
        )
        _, new = self._entered(Report(fixed), moment)
        for finding in new:
            self.warn(headline(finding) if self.settings.brief else render_finding(finding), moment.frame)

    def _entered(self, report: Report, moment: Moment) -> tuple[Report, list[Finding]]:
        """What of `report` is not allowed, written down with its place; and what of it is new at this site."""
        site, frame = moment.site, users_frame(moment.frame)
        report = self._without_allowed(report, moment.frame)
        place = moment.place if frame is None else place_of(frame, moment.frame)
        report = Report(tuple(replace(finding, place=place) for finding in report.findings), report.subjects)
        unseen = {(f.code, f.argument) for f in report.findings} - site.said
        if unseen:
            with active.nobody(), untouched(frame), one_thread():
                handed = calling_frame(moment.frame) is not frame
                report = seams.located(report, moment.arguments, frame, replay=self.settings.replay, by_library=handed)
        sure = tuple(finding for finding in report.findings if finding.origin or not finding.suspected)
        report = replace(report, findings=sure)
        for finding in report.findings:
            self.ledger.enter(site.key, finding, site.calls, partial(_examined, site, moment.kind))
        site.said |= unseen
        times, codes = site.trips.get(moment.kind, (0, ()))
        site.trips[moment.kind] = (times, tuple({*codes, *(finding.code for finding in report.findings)}))
        new = [finding for finding in report.findings if (finding.code, finding.argument) in unseen]
        for finding in () if self.settings.quiet else new:
            log(finding)
        return report, new

    def _without_allowed(self, report: Report, frame: FrameType | None) -> Report:
        """`report` without what may be: by setting, by the project, by a remark on the line."""
        if not report.findings:
            return report
        allowed = self.settings.allow
        for candidate in dict.fromkeys((frame, users_frame(frame))):
            try:
                allowed |= allowed_by_remark(candidate)
            except UnknownRule as error:
                self.warn(f"a remark on this line allows nothing: {error}", candidate)
        return Report(tuple(f for f in report.findings if f.code not in allowed), report.subjects)

    def warn(self, text: str, frame: FrameType | None) -> None:
        """Warn at the user's line, through the standard filters."""
        if self.settings.quiet:
            return
        frame = users_frame(frame)
        if frame is None:
            warn_at(text, "<unknown>", 0, "<unknown>", {})
            return
        filename = frame.f_code.co_filename
        # The line is shown with the warning; what is no plain file must not be read for it.
        shown = filename if source_lines(filename) else f"<{filename.strip('<>')}>"
        module = str(frame.f_globals.get("__name__") or "<unknown>")
        registry = frame.f_globals.setdefault("__warningregistry__", {})
        warn_at(text, shown, frame.f_lineno, module, registry)

    def trouble(self, error: BaseException) -> None:
        """Remember that the guard itself failed. The program goes on as if it were not watched.

        A stack or a memory that the program has used up is no fault of ours, and what a handler of a signal has raised
        is raised again.
        """
        let_through(error)
        if isinstance(error, RecursionError | MemoryError):
            return
        with self._lock:
            said = f"{type(error).__name__}: {error}"
            if said not in self.troubles and len(self.troubles) < 10:
                self.troubles.append(said)

    def start_anew(self) -> None:
        """Forget what was found: a forked child has pages and locks of its own."""
        self._lock = threading.Lock()
        self.ledger = Ledger()
        self.pending.clear()
        self.suspects.clear()

    @property
    def report(self) -> Report:
        """What was found so far, with counts."""
        return self.ledger.report()


def _examined(site: Site, kind: str) -> int:
    """How many calls of `site` were examined for what this kind of look has shown: all, unless it takes a deep one."""
    return site.looks if kind in {"schedule", "result"} else site.calls
