"""News from an accelerator: what is on its way to the host about a call, and what is said when it is there."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import CodeType, FrameType
from typing import Any, Final, cast

from torch import Tensor

from lossguard.facts.facts import Facts
from lossguard.facts.observation import Outcome
from lossguard.findings import Finding, Place
from lossguard.guard.accelerator import late
from lossguard.guard.accelerator.slots import Shipment, Slot
from lossguard.guard.allowing import allowed_by_remark
from lossguard.guard.calls.plans import Outline, Watched
from lossguard.guard.calls.sites import Site, place_at
from lossguard.guard.looking import outcome_of
from lossguard.guard.session import Moment, Session
from lossguard.reports.report import Report
from lossguard.rules.registry import UnknownRule

_LATE: Final = "found late, without waiting for the device"
_EARLY: Final = "the device was waited for, because the batch showed it on the host"


@dataclass(frozen=True, slots=True)
class Where:
    """A line of the user's. It has of a frame what a remark is found by, and keeps no variable alive."""

    f_code: CodeType
    f_lasti: int
    f_lineno: int

    @property
    def place(self) -> Place:
        """The line, with its source."""
        return place_at(self.f_code.co_filename, self.f_lineno)

    def allowed(self) -> frozenset[str]:
        """The codes that a remark on the line allows."""
        try:
            return allowed_by_remark(cast("FrameType", self))
        except UnknownRule:
            return frozenset()


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call on an accelerator, and what is left of it."""

    site: Site
    outline: Outline
    where: Where | None
    memory: late.Memory
    #: Which call of its site it is.
    number: int

    def tell(
        self,
        session: Session,
        findings: list[Finding],
        kind: str,
        *,
        arguments: Mapping[str, Any] | None = None,
        refuse: bool = False,
        fate: str = "",
    ) -> None:
        """Say what was found about this call, in these `arguments`; `fate` is what became of the values in them."""
        place = None if self.where is None else self.where.place
        allowed = frozenset() if self.where is None else self.where.allowed()
        at = place.where if place else "an earlier call"
        frame = self._frame()
        told = f"{_LATE}: it happened at {at}{fate}" if frame is None else f"{_EARLY}{fate}"
        found = tuple(
            replace(finding, cause=f"{finding.cause}; {told}" if finding.cause else told)
            for finding in findings
            if finding.code not in allowed
        )
        given = {**self.outline.call.arguments, **arguments} if arguments else {}
        session.tell(Report(found), Moment(self.site, frame, given, kind, place), refuse=refuse)

    def _frame(self) -> FrameType | None:
        """The frame that makes this call, if it is still making it; at any later moment its variables are others."""
        if self.where is None or self.site.calls != self.number:
            return None
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - inspect.currentframe costs three times as much
        while frame is not None and (frame.f_code, frame.f_lasti) != (self.where.f_code, self.where.f_lasti):
            frame = frame.f_back
        return frame

    def tell_unexplained(self, session: Session, outcome: Outcome, kind: str, **more: Any) -> None:
        """Say how the call came out, though its arguments can no longer be looked at."""
        self.tell(session, late.judge(self.outline, {}, outcome, deep=False), kind, **more)


@dataclass(slots=True)
class Flag:
    """A few bytes: which arguments had something outside, and the number that came out."""

    record: CallRecord
    slot: Slot
    #: The arguments that were looked at, in the order of their flags.
    watched: tuple[tuple[int, Watched], ...]
    #: The least that may come out; None if no number is sent.
    lowest: float | None

    def arrived(self) -> bool:
        """Whether the bytes are here. Asking does not wait."""
        return self.slot.arrived()

    def wait(self) -> None:
        """Wait for the bytes."""
        self.slot.wait()

    def tell(self, session: Session) -> None:
        """Read the bytes, and say what they show."""
        bad = [watched for number, watched in self.watched if self.slot.host_flags[number].item()]
        result = None if self.lowest is None else float(self.slot.host_number.item())
        self.slot.give_back()
        self.record.memory.told = bool(bad)
        if bad:
            self._tell_values(session, bad)
        # NaN is neither greater nor smaller than anything.
        elif result is not None and self.lowest is not None and not self.lowest <= result < math.inf:
            self._tell_result(session, Outcome(nan=int(math.isnan(result)), infinite=int(math.isinf(result))))

    def _tell_values(self, session: Session, bad: list[Watched]) -> None:
        """The fault is known now: waiting no longer matters, so the arguments may be read."""
        refuse = any(watched.lethal for watched in bad)
        if not refuse and not session.tripped(self.record.site, "values"):
            return
        device = self.record.outline.observation.arguments[bad[0].name].device
        fate = ", and what is outside was replaced there" if refuse else f"; torch lets it pass on {device}"
        names = frozenset(watched.name for watched in bad)
        lengths = frozenset(watched.lengths for watched in bad if watched.lengths)
        kept = self.record.memory.recall(names | lengths)
        if kept is None:
            said = ", ".join(f"{w.name} holds values outside {w.least:g} to {w.greatest:g}" for w in bad)
            outcome = Outcome(raised=f"{'IndexError' if bad[0].whole else 'RuntimeError'}: {said}")
            self.record.tell_unexplained(session, outcome, "values", refuse=refuse, fate=fate)
            return
        findings = late.judge(self.record.outline, late.on_host(kept), None, deep=True)
        found = [finding for finding in findings if finding.argument in names]
        self.record.tell(session, found, "values", arguments=kept, refuse=refuse, fate=fate)

    def _tell_result(self, session: Session, outcome: Outcome) -> None:
        site = self.record.site
        if not session.tripped(site, "result"):
            return
        kept = self.record.memory.recall()
        if kept is None:
            session.suspects[site.key] = (self.record, outcome)
            return
        self.record.memory.told = True
        findings = taken(
            self.record.outline,
            late.judge(
                self.record.outline,
                late.on_host(kept),
                outcome,
                deep=session.settings.deep != "never",
                makers=late.makers_of(kept),
            ),
        )
        self.record.tell(session, findings, "result", arguments=kept)


@dataclass(slots=True)
class PendingCopy:
    """A whole call on its way to the host, with what came out of it, to be looked at there."""

    record: CallRecord
    shipment: Shipment
    plain: Mapping[str, Any]
    makers: Mapping[str, Facts]
    kind: str
    #: An earlier call that came out wrong and could no longer be looked at, and how.
    suspect: tuple[CallRecord, Outcome] | None = None

    def arrived(self) -> bool:
        """Whether the copy is here. Asking does not wait."""
        return self.shipment.arrived()

    def wait(self) -> None:
        """Wait for the copy."""
        self.shipment.wait()

    def tell(self, session: Session) -> None:
        """Look at the call as if it were made here."""
        if self.record.memory.told:
            return
        known = session.suspects.get(self.record.site.key)
        if known is not None and known[0].memory is self.record.memory:
            del session.suspects[self.record.site.key]
        tensors = dict(self.shipment.tensors)
        result: Tensor | None = tensors.pop(RESULT, None)
        outline = self.record.outline
        outcome = outcome_of(result) or Outcome()
        findings = taken(
            outline,
            late.judge(
                outline,
                {**self.plain, **tensors},
                outcome,
                deep=session.settings.deep != "never",
                makers=self.makers,
            ),
        )
        self.record.tell(session, findings, self.kind, arguments={**self.plain, **tensors})
        if self.suspect is not None and self.suspect[1].nan and not any(finding.is_error for finding in findings):
            earlier, outcome = self.suspect
            earlier.tell_unexplained(session, outcome, "result")


#: What the result is called among the arguments of a shipment.
RESULT: Final = "the result"


def taken(outline: Outline, findings: list[Finding]) -> list[Finding]:
    """The findings about a call that torch has taken: whatever says that it does not is mistaken."""
    harmful = outline.call.contract.corrupting
    return [finding for finding in findings if not finding.refused or finding.argument in harmful]
