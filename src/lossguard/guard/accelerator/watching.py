"""Watching on an accelerator without ever waiting for it.

What a kernel would abort on, or take for an address, is replaced on the device before the call, so that the device
context lives: indices out of range, and the probabilities of binary_cross_entropy, through autograd. What came out and
whether anything was replaced goes to the host in one copy of a few bytes that nobody waits for; the error is raised
at the next poll (the next guarded call, or the guard's end) and says where it happened. Calls 1, 2, 4, 8, ... of a
site are copied to the host as a whole, without waiting either, and judged there as a call on the CPU is.

A batch of a DataLoader is looked at on the host, where it still lies: if it shows a bad label there, the flag is waited
for at once; and if the device has none, never again at that place. A loss that came out as NaN or too small is a known
fault, but its arguments may be gone: then the next call of the site is copied, whatever its size.

Nothing here asks what kind of device it is: the contract says what its kernels do not look at, and there (on Metal)
nothing is replaced and the finding is a warning. Events and copies are the same for CUDA, ROCm, XPU and MPS.

What is proved where: tests run this path on a fake device, a tensor subclass that counts everything that would wait
and aborts where a kernel would, and on `meta`, where reading a value raises; that sound values come through to the
last bit, forward and backward, is proved on the CPU. It has not been run on a real accelerator.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import torch
from torch import Tensor

from lossguard.facts.observation import autocasts, is_forward_only
from lossguard.guard import seams
from lossguard.guard.accelerator import late, slots
from lossguard.guard.accelerator.pending import RESULT, CallRecord, Flag, PendingCopy, Where
from lossguard.guard.accelerator.shielding import can_shield, is_capturing, shielded
from lossguard.guard.active import nobody
from lossguard.guard.calls.call import GuardedCall
from lossguard.guard.calls.entries import Entry
from lossguard.guard.calls.plans import Outline, Plan, Watched
from lossguard.guard.calls.sites import Site, users_frame
from lossguard.guard.errors import LossError, LossWarning
from lossguard.guard.session import Session
from lossguard.reports.report import Report

#: So many flags in flight keep labels alive, and so many are in flight at all: the oldest are then left unread.
_HOLDING: Final = 64
_IN_FLIGHT: Final = 1024
#: A call larger than this is copied to the host only when a fault is known.
_SHIPPED_BYTES: Final = 1 << 26


class Shielded(tuple[Any, ...]):  # noqa: SLOT001 - a tuple with slots holds nothing of its own
    """The arguments of a call after `shield`, with the slot in which it was noted what is bad in them."""

    #: The arguments as they were.
    given: tuple[Any, ...]
    slot: slots.Slot
    watched: tuple[tuple[int, Watched], ...]
    #: Whether the loader's batch shows a bad label.
    suspected: bool


def shield(call: GuardedCall) -> GuardedCall:
    """The call with what would kill the device replaced, on the device. `follow` sends word of it."""
    if is_capturing():
        return call
    session, entry, args = call.session, call.entry, call.args
    given, noted, slot, suspected = list(args), [], None, False
    for number, watched in enumerate(call.plan.shielded[: slots.FLAGS]):
        place = entry.parameters.index(watched.name)
        value: Any = args[place] if place < len(args) else None
        try:
            if isinstance(value, Tensor) and value.is_cpu and value.numel() and _is_bad(value, watched):
                _refuse_on_the_host(call)
            if not can_shield(value):
                continue
            slot = slot or slots.take(value)
            given[place] = shielded(value, watched, slot.flags[number], _lengths(entry, watched, args))
            noted.append((number, watched))
            suspected = suspected or (watched.whole and _is_bad_on_the_host(call, value, watched))
        except (LossError, LossWarning):
            raise
        except Exception as error:  # noqa: BLE001 - our own trouble must never become the program's
            session.trouble(error)
    if slot is None:
        return call
    safe = Shielded(given)
    safe.given, safe.slot, safe.watched, safe.suspected = args, slot, tuple(noted), suspected
    return replace(call, args=safe)


def follow(call: GuardedCall, result: Any) -> None:
    """After the call: send word of what was shielded and of what came out, and now and then the whole call."""
    session, site, plan, args = call.session, call.site, call.plan, call.args
    if plan.outline is None or is_capturing():
        return
    given = replace(call, args=args.given) if isinstance(args, Shielded) else call
    try:
        record = CallRecord(site, plan.outline, _where(), _memory(given), site.calls)
        _send_flag(session, record, plan, args, result)
        kind = _reason_to_look(session, site, plan)
        if kind is not None and plan.outline.call.contract.is_loss:
            _send_all(session, record, given.arguments() or {}, result, kind)
    except Exception as error:  # noqa: BLE001 - our own trouble must never become the program's
        session.trouble(error)
    if isinstance(args, Shielded) and args.suspected:
        # The batch has shown it before its move; only now is it worth waiting for the device to say so too.
        session.remapped.add(site.key)
        poll(session, wait=True)


def poll(session: Session, *, wait: bool = False) -> None:
    """Read the news that have arrived, all of them with `wait`; what is bad is raised or said."""
    if is_capturing():
        return
    while session.pending:
        news: Flag | PendingCopy = session.pending[0]
        if wait:
            news.wait()
        elif not news.arrived():
            return
        session.pending.pop(0)
        try:
            news.tell(session)
        except (LossError, LossWarning):
            raise
        except Exception as error:  # noqa: BLE001 - our own trouble must never become the program's
            session.trouble(error)


def finish(session: Session, *, quietly: bool = False) -> None:
    """The guard ends: wait for all news, and say what could not be explained. The first error is raised, if any."""
    raised: LossError | LossWarning | None = None
    while (session.pending or session.suspects) and not is_capturing():
        try:
            poll(session, wait=True)
            while session.suspects:
                earlier, outcome = session.suspects.pop(next(iter(session.suspects)))
                if outcome.nan:
                    earlier.tell_unexplained(session, outcome, "result")
        except (LossError, LossWarning) as error:
            raised = raised or error
        except Exception:  # noqa: BLE001 - a device that has died answers nothing, and has said so to the program
            break
    if raised is not None and not quietly:
        raise raised


def _send_flag(session: Session, record: CallRecord, plan: Plan, args: tuple[Any, ...], result: Any) -> None:
    """One copy for everything there is to say."""
    slot, watched = (args.slot, args.watched) if isinstance(args, Shielded) else (None, ())
    contract = record.outline.call.contract
    lowest = None
    if contract.is_loss and can_shield(result) and result.ndim == 0 and result.is_floating_point():
        slot, lowest = slot or slots.take(result), plan.lowest
        with torch._C.DisableTorchFunction():  # noqa: SLF001 - the user's modes must not see this
            torch.add(result.detach(), 0, out=slot.number)
    if slot is not None:
        slot.send()
        session.pending.append(Flag(record, slot, watched, lowest))
        if len(session.pending) > _HOLDING:
            session.pending[-_HOLDING - 1].record.memory.release()
        if len(session.pending) > _IN_FLIGHT:
            session.pending.pop(0)


def _reason_to_look(session: Session, site: Site, plan: Plan) -> str | None:
    """Why this call should be looked at as a whole, if it should."""
    if site.key in session.suspects:
        return "result"
    if plan.suspicious and session.tripped(site, "shapes"):
        return "shapes"
    return "schedule" if session.looks_deep(site) else None


def _send_all(session: Session, record: CallRecord, arguments: Mapping[str, Any], result: Any, kind: str) -> None:
    """Copy the whole call to the host, without waiting."""
    suspect = session.suspects.get(record.site.key)
    tensors = {name: value for name, value in arguments.items() if isinstance(value, Tensor)}
    if isinstance(result, Tensor):
        tensors[RESULT] = result
    size = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
    readable = all(type(tensor) is Tensor or can_shield(tensor) for tensor in tensors.values())
    if not readable or (size > _SHIPPED_BYTES and suspect is None):
        return
    session.suspects.pop(record.site.key, None)
    observation = replace(
        record.outline.observation,
        autocast=autocasts(record.outline.observation.arguments),
        forward_only=is_forward_only(),
    )
    record = replace(record, outline=Outline(record.outline.call, observation))
    plain = {name: value for name, value in arguments.items() if name not in tensors}
    with nobody(), torch._C.DisableTorchFunction():  # noqa: SLF001 - the user's modes must not see this
        shipment = slots.Shipment(tensors)
    session.pending.append(PendingCopy(record, shipment, plain, late.makers_of(tensors), kind, suspect))


def _memory(call: GuardedCall) -> late.Memory:
    """What is kept of the arguments: those that are shielded, and the lengths that go with them."""
    memory = late.Memory(dict(zip(call.entry.parameters, call.args, strict=False)))
    for watched in call.plan.shielded:
        memory.hold(watched.name)
        if watched.lengths is not None:
            memory.hold(watched.lengths)
    return memory


def _where() -> Where | None:
    frame = users_frame(sys._getframe(1))  # noqa: SLF001 - inspect.currentframe costs three times as much
    return None if frame is None else Where(frame.f_code, frame.f_lasti, frame.f_lineno)


def _lengths(entry: Entry, watched: Watched, args: tuple[Any, ...]) -> Any:
    """How much of a padded argument is read."""
    return None if watched.lengths is None else args[entry.parameters.index(watched.lengths)]


def _is_bad(value: Tensor, watched: Watched) -> bool:
    """Whether a tensor on the host has a value outside."""
    low, high = (bound.item() for bound in torch.aminmax(value.detach()))
    if low >= watched.least and high <= watched.greatest:
        return False
    outside = (value < watched.least) | (value > watched.greatest)
    if watched.ignore is not None:
        outside &= value != watched.ignore
    return bool(outside.any())


def _is_bad_on_the_host(call: GuardedCall, value: Tensor, watched: Watched) -> bool:
    """Whether what may be this argument, in the loader's last batch, is out of range: read without the device."""
    known = call.site.key in call.session.remapped
    return not known and any(_is_bad(twin, watched) for twin in seams.on_the_host(value))


def _refuse_on_the_host(call: GuardedCall) -> None:
    """Labels that are on the host, of a call on the device that would write where they point."""
    outline = call.plan.outline
    if outline is None:
        return
    harmful, named = outline.call.contract.corrupting, outline.call.arguments
    given = {name: value for name, value in zip(call.entry.parameters, call.args, strict=False) if name in named}
    here = {name: value for name, value in given.items() if not isinstance(value, Tensor) or value.is_cpu}
    findings = late.judge(outline, here, None, deep=False)
    found = tuple(finding for finding in findings if finding.argument in harmful and finding.is_error)
    if found:
        call.session.tell(Report(found), call.moment(given, "values"), refuse=True)
