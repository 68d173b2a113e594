"""Before a call that is not like the last one of its place: which site it is, and what is to be watched in it."""

from __future__ import annotations

from collections.abc import Mapping
from types import FrameType
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import Parameter

from lossguard.facts.torch_versions import autocasting
from lossguard.guard.accelerator import watching as accelerator
from lossguard.guard.active import nobody
from lossguard.guard.calls.call import GuardedCall
from lossguard.guard.calls.entries import Entry
from lossguard.guard.calls.examining import is_unreadable, refuse_harm
from lossguard.guard.calls.plans import NOTHING, Plan, make_plan
from lossguard.guard.calls.sites import Site, is_inner
from lossguard.guard.errors import LossError, LossWarning
from lossguard.guard.session import Session
from lossguard.interruptions import let_through
from lossguard.tracing.evidence.recorders import new_loss

_unseen = torch._C.DisableTorchFunction  # noqa: SLF001 - subclasses and modes must not see us; the public twin leaves modes

#: Tensors that answer without asking anybody.
_PLAIN: Final = frozenset({Tensor, Parameter})
#: Settings that keep nothing else alive when they are remembered.
_SETTINGS: Final = frozenset({int, float, bool, str, type(None)})
#: A program that makes ever new code, by exec or lambda, has ever new sites.
_SITES_KEPT: Final = 10_000
#: A site that sees ever new shapes forgets the old ones at this number.
_PLANS_KEPT: Final = 1024
#: So many places that call one loss in turn are recognised at once.
_RECENT_KEPT: Final = 6


def prepared(
    session: Session, entry: Entry, wrapper: FrameType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> GuardedCall | None:
    """The call with its site and its plan, and with its arguments made safe where need be.

    None where nothing may be read: under a dispatch mode, in a trace, in a transform of torch.func.
    """
    if is_unreadable():
        return None
    site = site_of(session, entry.loss, wrapper)
    site.calls += 1
    try:
        plan = NOTHING
        first, second = entry.leading
        if len(args) > max(first, second) and isinstance(args[first], Tensor) and isinstance(args[second], Tensor):
            with _unseen():
                plan = _plan(GuardedCall(session, entry, site, NOTHING, args, kwargs), wrapper)
        call = GuardedCall(session, entry, site, plan, args, kwargs)
        return _made_safe(call) if plan.ahead or session.pending else call
    except (LossError, LossWarning):
        raise
    except Exception as error:  # noqa: BLE001 - our own trouble must never become the program's
        session.trouble(error)
        return GuardedCall(session, entry, site, NOTHING, args, kwargs)


def _made_safe(call: GuardedCall) -> GuardedCall:
    """What must happen before the call: late news, labels that would corrupt memory, indices that would abort."""
    if call.session.pending:
        accelerator.poll(call.session)
    if call.plan.shielded:
        return accelerator.shield(call)
    refuse_harm(call)
    return call


def site_of(session: Session, loss: str, wrapper: FrameType) -> Site:
    """The place this call comes from, remembered from now on, and the lane that leads to it."""
    frame: FrameType | None = wrapper
    depth = 0
    while frame is not None and is_inner(frame.f_code):
        depth, frame = depth + 1, frame.f_back
    if frame is None:
        return session.sites.setdefault((loss,), Site((loss,)))
    key = (loss, id(frame.f_code), frame.f_lasti)
    site = session.sites.get(key)
    if site is None:
        if len(session.sites) >= _SITES_KEPT:
            session.sites.clear()
            session.recent_sites.clear()
        site = session.sites.setdefault(key, Site(key, frame.f_code))
        new_loss(frame)
    recent_sites = session.recent_sites.get(loss, ())
    if all(known is not site or hops != depth for hops, _, _, known in recent_sites):
        session.recent_sites[loss] = ((depth, frame.f_code, frame.f_lasti, site), *recent_sites[: _RECENT_KEPT - 1])
    return site


def _plan(call: GuardedCall, wrapper: FrameType) -> Plan:
    """The plan for a call like this, known or made; the site remembers it if it leaves nothing to do."""
    entry, site = call.entry, call.site
    first, second = entry.leading
    given = a, b = call.args[first], call.args[second]
    settings = call.args[entry.rest]
    if entry.expands and wrapper.f_back is not None:
        held = wrapper.f_back.f_locals
        if held.get("expanded_target") is b:
            given = held["input"], held["target"]
    plain = all(type(setting) in _SETTINGS for setting in (*settings, *call.kwargs.values()))
    if (key := _key(given, settings, call.kwargs)) is None:
        return NOTHING
    plan: Plan | None = site.plans.get(key) if plain else None
    if plan is None:
        plan = _made_plan(call)
        if len(site.plans) >= _PLANS_KEPT:
            site.plans.clear()
        if plain:
            site.plans[key] = plan
    if plan.is_quiet and plain and type(a) in _PLAIN and type(b) in _PLAIN and call.session.settings.deep != "always":
        strides = (a.stride(), b.stride()) if entry.expands else None
        site.latest = (
            *(type(a), type(b), a.shape, b.shape, a.dtype, b.dtype, strides, settings, dict(call.kwargs)),
            *(plan.lowest if plan.scalar else None, plan.unchecked, plan),
        )
    return plan


def _key(given: tuple[Tensor, Tensor], settings: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """What the plan of a call hangs on. None if torch itself can only refuse it, or reads it in a way of its own."""
    try:
        known = ((tensor.shape, tensor.dtype, tensor.device.type, tensor.layout) for tensor in given)
        key = (*known, settings, *named.items(), torch.is_grad_enabled(), autocasting())
        hash(key)
    except Exception as error:  # noqa: BLE001 - a nested tensor has no shape, a list no hash, a subclass may raise anything
        let_through(error)
        return None
    return key


def _made_plan(call: GuardedCall) -> Plan:
    arguments = call.arguments()
    if arguments is None:
        return NOTHING
    with nobody():
        return make_plan(call.entry.loss, arguments)
