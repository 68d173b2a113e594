"""Watching on an accelerator without ever waiting for it.

Indices out of range are replaced on the device, so that no kernel aborts and the device context lives; a flag is
copied to the host without waiting, and the error is raised at the next poll (the next guarded call, or the guard's
end). A batch of a DataLoader is looked at on the host, where it still lies: if it shows a bad label there, the flag
is waited for at once; and if the device has none, never again at that place. Nothing here asks what kind of device it
is: events and copies are the same for CUDA, ROCm, XPU and MPS.

What is proved where: tests run this path on a fake device, a tensor subclass that counts everything that
would wait, and on `meta`, where reading a value raises. It has not been run on a real accelerator.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from typing import Any, Final

import torch
from torch import Tensor

from lossguard.findings import Certainty, Finding, Place, Severity
from lossguard.guard import seams
from lossguard.guard.active import nobody
from lossguard.guard.entries import Entry
from lossguard.guard.looking import look
from lossguard.guard.plans import Plan, Watched
from lossguard.guard.session import Moment, Session
from lossguard.guard.sites import Site, place_at, users_frame
from lossguard.reports.report import Report

#: More flags than this are not kept in flight: the oldest is then left unread.
_IN_FLIGHT: Final = 64
#: Types with a `__torch_dispatch__` of their own that may be shielded all the same; tests put a fake device here.
SHIELDED_TYPES: Final[set[type]] = set()


@dataclass(slots=True)
class Flag:
    """A few numbers on their way to the host, and what they are about."""

    host: Tensor
    event: Any
    site: Site
    #: File and line of the user's.
    where: tuple[str, int] | None
    #: Of indices: the loss, its arguments as they were given, and what is watched in them.
    loss: str = ""
    arguments: dict[str, Any] | None = None
    watched: Watched | None = None
    #: Of a result: the least it may be.
    lowest: float | None = None

    def arrived(self) -> bool:
        """Whether the numbers are here. Asking does not wait."""
        return self.event is None or bool(self.event.query())

    def wait(self) -> None:
        """Wait for the numbers: only at the guard's end."""
        if self.event is not None:
            self.event.synchronize()

    @property
    def is_bad(self) -> bool:
        """Whether the numbers show a fault."""
        return bool(self.host[0].item())


def shield(session: Session, entry: Entry, site: Site, plan: Plan, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with indices out of range replaced, on the device; flags of it are sent to the host."""
    given = list(args)
    suspected = False
    for watched in plan.shielded:
        place = entry.parameters.index(watched.name)
        value: Any = args[place] if place < len(args) else None
        if not _can_shield(value):
            continue
        try:
            with torch.no_grad(), nobody():
                safe, numbers = _replaced(value, watched)
                _send(
                    session,
                    Flag(
                        *_to_host(numbers, value),
                        site,
                        _where(),
                        loss=entry.loss,
                        arguments=_light(entry.arguments(args, {}) or {}, watched.name),
                        watched=watched,
                    ),
                )
            given[place] = safe
            suspected = suspected or _is_bad_on_the_host(session, site, value, watched)
        except Exception as error:  # noqa: BLE001 - our own trouble must never become the program's
            session.trouble(error)
    if suspected:
        # The batch has shown it before its move; only now is it worth waiting for the device to say so too.
        session.remapped.add(site.key)
        poll(session, wait=True)
    return tuple(given)


def _is_bad_on_the_host(session: Session, site: Site, value: Tensor, watched: Watched) -> bool:
    """Whether what may be this argument, in the loader's last batch, is out of range: read without the device."""
    if site.key in session.remapped:
        return False
    for twin in seams.on_the_host(value):
        low, high = (bound.item() for bound in torch.aminmax(twin))
        if low >= watched.least and high <= watched.greatest:
            continue
        strays = (twin < watched.least) | (twin > watched.greatest)
        if watched.ignore is not None:
            strays &= twin != watched.ignore
        if bool(strays.any()):
            return True
    return False


def send_result(session: Session, site: Site, result: Any, lowest: float) -> None:
    """Send word of a scalar result that is NaN or too small to the host."""
    if not isinstance(result, Tensor) or result.ndim or not _can_shield(result):
        return
    try:
        with torch.no_grad(), nobody():
            value = result.detach()
            bad = value.isnan() | (value < lowest)
            numbers = torch.stack([bad.to(torch.float64), value.to(torch.float64)])
            _send(session, Flag(*_to_host(numbers, value), site, _where(), lowest=lowest))
    except Exception as error:  # noqa: BLE001 - our own trouble must never become the program's
        session.trouble(error)


def _can_shield(value: Any) -> bool:
    if not isinstance(value, Tensor) or value.is_cpu or value.is_meta or value.numel() == 0:
        return False
    if type(value) not in SHIELDED_TYPES and type(value).__torch_dispatch__ is not Tensor.__torch_dispatch__:
        return False
    return not (value.is_cuda and torch.cuda.is_available() and torch.cuda.is_current_stream_capturing())


def _replaced(value: Tensor, watched: Watched) -> tuple[Tensor, Tensor]:
    """`value` with what is out of range replaced, and [any bad, smallest, largest] in one small tensor."""
    bad = (value < watched.least) | (value > watched.greatest)
    if watched.ignore is not None:
        bad &= value != watched.ignore
    low, high = torch.aminmax(value)
    numbers = torch.stack([bad.any().to(value.dtype), low, high])
    return value.masked_fill(bad, int(watched.least)), numbers


def _light(arguments: dict[str, Any], kept: str) -> dict[str, Any]:
    """The arguments without their memory, but for the one that is watched: no graph is held until the next poll."""
    return {
        name: value
        if not isinstance(value, Tensor)
        else value.detach()
        if name == kept
        else torch.zeros((), dtype=value.dtype).expand(tuple(value.shape))
        for name, value in arguments.items()
    }


def _to_host(numbers: Tensor, like: Tensor) -> tuple[Tensor, Any]:
    """A copy on its way to the host, and the event that says when it is there."""
    pinned = torch.accelerator.is_available()
    host = torch.empty(numbers.shape, dtype=numbers.dtype, device="cpu", pin_memory=pinned)
    host.copy_(numbers, non_blocking=True)
    if not pinned:
        return host, None
    event = torch.Event(device=like.device)
    event.record()
    return host, event


def _send(session: Session, flag: Flag) -> None:
    session.pending.append(flag)
    if len(session.pending) > _IN_FLIGHT:
        session.pending.pop(0)


def _where() -> tuple[str, int] | None:
    frame = users_frame(sys._getframe(1))  # noqa: SLF001 - inspect.currentframe costs three times as much
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def poll(session: Session, *, wait: bool = False) -> None:
    """Read the flags that have arrived, all of them with `wait`; a bad one is raised or said."""
    while session.pending:
        flag: Flag = session.pending[0]
        if wait:
            flag.wait()
        elif not flag.arrived():
            return
        session.pending.pop(0)
        if flag.is_bad:
            _tell(session, flag)


def _tell(session: Session, flag: Flag) -> None:
    """The fault is known now: waiting no longer matters, so the arguments may be read."""
    place = None if flag.where is None else place_at(*flag.where)
    if flag.arguments is None or flag.watched is None:
        _tell_result(session, flag, place)
        return
    with nobody():
        seen = look(flag.loss, _on_host(flag.arguments), deep=False)
    if seen is None:
        return
    device = {"device": str(flag.arguments[flag.watched.name].device)}
    found = tuple(
        replace(finding, cause=_late(finding.cause, place), evidence={**finding.evidence, **device})
        for finding in seen.report.findings
        if finding.argument == flag.watched.name
    )
    session.tell(Report(found), Moment(flag.site, None, flag.arguments, "values", place), refuse=True)


def _tell_result(session: Session, flag: Flag, place: Place | None) -> None:
    if not session.tripped(flag.site, "result"):
        return
    value = flag.host[1].item()
    at = f"{place.file}:{place.line}" if place else "an earlier call"
    if not math.isnan(value):
        said = f"{value:g}, below {flag.lowest:g}"
        session.warn(f"the loss at {at} came out as {said}; found late, without waiting for the device", None)
        return
    loss = str(flag.site.key[0])
    finding = Finding(
        code="LG506",
        name="unexplained-failure",
        severity=Severity.ERROR,
        certainty=Certainty.CERTAIN,
        loss=loss,
        argument="input",
        message=f"{loss} at {at} came out as NaN; found late, without waiting for the device",
        cause='run the step on the CPU, or with deep="always" there, to see which argument makes it NaN',
        refused=False,
    )
    session.tell(Report((finding,)), Moment(flag.site, None, {}, "result", place))


def _late(cause: str, place: Place | None) -> str:
    where = f"at {place.file}:{place.line}" if place else "at an earlier call"
    late = f"found late, without waiting for the device: it happened {where}, and the indices were replaced there"
    return f"{cause}; {late}" if cause else late


def _on_host(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value.cpu() if isinstance(value, Tensor) else value for name, value in arguments.items()}
