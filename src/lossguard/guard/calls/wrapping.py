"""The hot path: what runs around each call of a loss. Everything dear is prepared or put off.

While compiling, tracing, or inside a transform of `torch.func` the call goes straight through; so it does for
tensors without readable values. What torch raises, it raises; we only look at the arguments then.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from math import inf
from types import FrameType
from typing import Any

import torch
from torch import Tensor
from torch.compiler import is_dynamo_compiling
from torch.nn import Parameter
from torch.overrides import handle_torch_function, has_torch_function

from lossguard.facts.observation import Outcome
from lossguard.guard.accelerator import watching as accelerator
from lossguard.guard.active import EVERYWHERE, STACK, current, nobody
from lossguard.guard.calls.entries import Entry
from lossguard.guard.calls.plans import NOTHING, Plan, Watched, make_plan
from lossguard.guard.calls.sites import Site, calling_frame, is_inner
from lossguard.guard.errors import LossError, LossWarning, reported
from lossguard.guard.fixing import fixed_arguments
from lossguard.guard.looking import Look, arguments_in, explained_by, failure_of, look, outcome_of
from lossguard.guard.session import Moment, Session

_autocasting = torch._C._is_any_autocast_enabled  # noqa: SLF001 - the public twin asks for one device
_tracing = torch._C._get_tracing_state  # noqa: SLF001 - torch.jit.is_tracing asks the same, slower
_transform = torch._C._functorch.peek_interpreter_stack  # noqa: SLF001 - no public twin
_modes = torch._C._len_torch_dispatch_stack  # noqa: SLF001 - no public twin
_function_modes = torch._C._len_torch_function_stack  # noqa: SLF001 - no public twin
_unseen = torch._C.DisableTorchFunction  # noqa: SLF001 - subclasses and modes must not see us; the public twin leaves modes
_frame = sys._getframe  # noqa: SLF001 - inspect.currentframe costs three times as much
_stack = STACK.get

Function = Callable[..., Any]
#: Tensors that answer without asking anybody.
_PLAIN = frozenset({Tensor, Parameter})
#: A program that makes ever new code, by exec or lambda, has ever new sites.
_SITES_KEPT = 10_000
#: A site that sees ever new shapes forgets the old ones at this number.
_PLANS_KEPT = 1024
#: So many places that call one loss in turn are recognised at once.
_RECENT_KEPT = 6


def watching(entry: Entry, original: Function) -> Function:  # noqa: C901 - the hot path is in it, see below
    """`original`, watched. The wrapper passes straight through when nobody guards the present thread.

    Most calls are like the last one from the same place, in shapes, dtypes and settings, and nothing is to be
    done for them but to read the loss. They are recognised in the wrapper itself: in a training step its code is
    cold, and every function, table and tuple it touches costs several times what a tight loop shows. All other
    calls go through `_prepared` and `_look_back`.
    """
    first, second = entry.leading
    rest, loss = entry.rest, entry.loss
    call = _handing_on(original) if entry.aliases else original

    def guarded(*args: Any, **kwargs: Any) -> Any:  # noqa: C901, PLR0912 - see above
        if is_dynamo_compiling():
            return original(*args, **kwargs)
        stack = _stack()
        session = stack[-1] if stack else EVERYWHERE[-1] if EVERYWHERE else None
        if session is None:
            return original(*args, **kwargs)
        calls, site, plan = 0, None, NOTHING
        try:
            for depth, code, instruction, known in () if _function_modes() else session.recent_sites.get(loss, ()):
                if (frame := _frame(depth)).f_code is code and frame.f_lasti == instruction:
                    kind, kind2, shape, shape2, dtype, dtype2, strides, settings, lowest, unchecked, plan = known.latest
                    a, b = args[first], args[second]
                    if (
                        type(a) is kind
                        and type(b) is kind2
                        and _tracing() is None
                        and a.shape == shape
                        and b.shape == shape2
                        and a.dtype is dtype
                        and b.dtype is dtype2
                        and a.is_cpu
                        and args[rest] == settings
                        and not (kwargs or session.pending)
                        and (strides is None or (a.stride(), b.stride()) == strides)
                    ):
                        site = known
                        site.calls = calls = site.calls + 1
                    break
        except Exception:  # noqa: BLE001, S110 - whatever it is, the call is not like the last one
            pass  # fewer arguments, a stack less deep, a setting that is a tensor, a tensor without strides
        if site is None:
            site, plan, args, kwargs = _prepared(session, entry, _frame(), args, kwargs)
        try:
            result = call(*args, **kwargs)
        except Exception as error:
            if site is None or _is_unreadable():
                raise
            fixed = _failed(session, entry, site, original, args, kwargs, error)
            if fixed is None:
                raise
            return fixed[0]
        if calls & (calls - 1):
            if (lowest is None and not unchecked) or _modes():
                return result
            try:
                # NaN is neither greater nor smaller than anything.
                fine = lowest is None or (type(result) is Tensor and lowest <= result.item() < inf)
                if fine and not (unchecked and _strays(entry, unchecked, args)):
                    return result
            except RuntimeError:
                return result  # a transform of torch.func, in which nobody may read
        if site is not None:
            _look_back(session, entry, site, plan, args, kwargs, result)
        return result

    guarded = _dressed(guarded, original)
    # What torch keeps in a class is found by its name in the module all the same.
    guarded.__module__, guarded.__qualname__ = entry.owner, entry.name
    return guarded


def _handing_on(original: Function) -> Function:
    """`original`, for a function of torch's own that has another name too.

    Torch looks such a function up by its name and gives what it finds, the wrapper, to subclasses and modes.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if has_torch_function(given):
            return handle_torch_function(original, given, *args, **kwargs)
        return original(*args, **kwargs)

    return call


def handing_on(original: Function, watched: Mapping[Function, Function]) -> Function:
    """`handle_torch_function`, which gives subclasses and modes the function they know in place of one of `watched`."""

    def handle(function: Function, given: Any, *args: Any, **kwargs: Any) -> Any:
        return original(watched.get(function, function), given, *args, **kwargs)

    return _dressed(handle, original)


def catching(entry: Entry, original: Function) -> Function:
    """`original`, a Python function around another entry: only what it raises by itself is looked at."""

    def guarded(*args: Any, **kwargs: Any) -> Any:
        if is_dynamo_compiling():
            return original(*args, **kwargs)
        try:
            return original(*args, **kwargs)
        except Exception as error:
            session = current()
            if session is None or isinstance(error, LossError | LossWarning) or reported(error) is not None:
                raise
            site = _site(session, entry.loss, _frame())
            site.calls += 1
            fixed = _failed(session, entry, site, original, args, kwargs, error)
            if fixed is None:
                raise
            return fixed[0]

    return _dressed(guarded, original)


def _dressed(guarded: Function, original: Function) -> Function:
    """The wrapper, looking like what it wraps to pickle, to help() and to torch.jit."""
    for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        value = getattr(original, name, None)
        if value is not None:
            setattr(guarded, name, value)
    guarded.__wrapped__ = original  # type: ignore[attr-defined]
    guarded.__prepare_scriptable__ = lambda: original  # type: ignore[attr-defined]
    return guarded


def _prepared(
    session: Session, entry: Entry, wrapper: FrameType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Site | None, Plan, tuple[Any, ...], dict[str, Any]]:
    """The site and the plan of a call that is not like the last one, and its arguments, made safe where need be.

    No site where nothing may be read: under a dispatch mode, in a trace, in a transform of torch.func.
    """
    if _is_unreadable():
        return None, NOTHING, args, kwargs
    site = _site(session, entry.loss, wrapper)
    site.calls += 1
    plan = NOTHING
    first, second = entry.leading
    if kwargs and len(args) < entry.placed:
        args, kwargs = entry.laid_out(args, kwargs)
    if len(args) > max(first, second) and isinstance(args[first], Tensor) and isinstance(args[second], Tensor):
        with _unseen():
            plan = _plan(session, entry, site, wrapper, args, kwargs)
    if plan.ahead or session.pending:
        args = _look_ahead(session, entry, site, plan, args, kwargs)
    return site, plan, args, kwargs


def _is_unreadable() -> bool:
    return _transform() is not None or _modes() > 0 or _tracing() is not None


def _site(session: Session, loss: str, wrapper: FrameType) -> Site:
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
    recent_sites = session.recent_sites.get(loss, ())
    if all(known is not site or hops != depth for hops, _, _, known in recent_sites):
        session.recent_sites[loss] = ((depth, frame.f_code, frame.f_lasti, site), *recent_sites[: _RECENT_KEPT - 1])
    return site


def _plan(
    session: Session,
    entry: Entry,
    site: Site,
    wrapper: FrameType,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> Plan:
    """The plan for a call like this, known or made; the site remembers it if it leaves nothing to do."""
    first, second = entry.leading
    given = a, b = args[first], args[second]
    settings = args[entry.rest]
    if entry.expands and wrapper.f_back is not None:
        held = wrapper.f_back.f_locals
        if held.get("expanded_target") is b:
            given = held["input"], held["target"]
    key = _key(given, settings)
    if key is None:
        return NOTHING
    plan: Plan | None = site.plans.get(key)
    if plan is None:
        plan = _made_plan(session, entry, args, kwargs)
        if len(site.plans) >= _PLANS_KEPT:
            site.plans.clear()
        site.plans[key] = plan
    if plan.is_quiet and not kwargs and type(a) in _PLAIN and type(b) in _PLAIN and session.settings.deep != "always":
        strides = (a.stride(), b.stride()) if entry.expands else None
        lowest = plan.lowest if plan.scalar else None
        site.latest = (
            type(a),
            type(b),
            a.shape,
            b.shape,
            a.dtype,
            b.dtype,
            strides,
            settings,
            lowest,
            plan.unchecked,
            plan,
        )
    return plan


def _key(given: tuple[Tensor, Tensor], settings: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """What the plan of a call hangs on. None if torch itself can only refuse it, or reads it in a way of its own."""
    try:
        known = ((tensor.shape, tensor.dtype, tensor.device.type, tensor.layout) for tensor in given)
        key = (*known, settings, torch.is_grad_enabled(), _autocasting())
        hash(key)
    except (RuntimeError, TypeError):
        return None  # a nested tensor has no shape, a list no hash
    return key


def _made_plan(session: Session, entry: Entry, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Plan:
    try:
        arguments = _arguments(entry, args, kwargs)
        if arguments is not None:
            with nobody():
                return make_plan(entry.loss, arguments)
    except Exception as error:  # noqa: BLE001 - our own trouble must never become the program's
        session.trouble(error)
    return NOTHING


def _arguments(entry: Entry, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments as the user gave them: from the frame of torch's function, or else from the call."""
    frame: FrameType | None = _frame(1)
    own = _frame(0).f_code.co_filename
    while frame is not None and frame.f_code.co_filename == own:
        frame = frame.f_back
    found = arguments_in(frame)
    if found is not None and found[0] == entry.loss:
        return found[1]
    return entry.arguments(args, kwargs)


def _strays(entry: Entry, unchecked: tuple[Watched, ...], args: tuple[Any, ...]) -> bool:
    """Whether a value that torch does not look at lies out of its range."""
    return any(_is_stray(watched, args[entry.parameters.index(watched.name)]) for watched in unchecked)


def _is_stray(watched: Watched, value: Any) -> bool:
    if not isinstance(value, Tensor) or not _is_readable(value) or value.numel() == 0:
        return False
    low, high = torch.aminmax(value.detach())
    return not (low.item() >= watched.least and high.item() <= watched.greatest)


def _look_back(
    session: Session,
    entry: Entry,
    site: Site,
    plan: Plan,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    result: Any,
) -> None:
    """Ask, after a call that torch has taken, whether anything about it is worth the full look.

    What is no tensor did not come from torch, but from something that stands in for a tensor.
    """
    if _is_unreadable() or not isinstance(result, Tensor | tuple):
        return
    if plan.outline is not None:
        accelerator.follow(session, entry, site, plan, args, result)
    elif (kind := _reason_to_look(session, entry, site, plan, args, result)) is not None:
        _look_behind(session, entry, site, args, kwargs, result, kind)


def _reason_to_look(
    session: Session, entry: Entry, site: Site, plan: Plan, args: tuple[Any, ...], result: Any
) -> str | None:
    """Why a call that torch has taken should be looked at as a whole, if it should."""
    with _unseen():
        if plan.scalar and type(result) is Tensor and result.ndim == 0 and not plan.lowest <= result.item() < inf:
            return "result"
        if plan.unchecked and not plan.dangerous and _strays(entry, plan.unchecked, args):
            return "values"
    if plan.suspicious:
        return "shapes"
    return "schedule" if session.looks_deep(site.calls) else None


def _look_ahead(
    session: Session, entry: Entry, site: Site, plan: Plan, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Any, ...]:
    """What must happen before the call: late news, labels that would corrupt memory, indices that would abort."""
    if session.pending:
        accelerator.poll(session)
    if plan.shielded:
        return accelerator.shield(session, entry, site, plan, args)
    with _unseen():
        harmful = plan.dangerous and (_strays(entry, plan.unchecked, args) or not plan.unchecked)
    if harmful:
        arguments = _arguments(entry, args, kwargs)
        seen = _look(session, entry, arguments, None, deep=False)
        if seen is not None and arguments is not None:
            found = [f for f in seen.report.findings if f.argument in seen.call.contract.corrupting and f.is_error]
            if found:
                frame = calling_frame(_frame(1))
                moment = Moment(site, frame, arguments, "values")
                session.tell(type(seen.report)(tuple(found)), moment, refuse=True)
    return args


def _look_behind(
    session: Session,
    entry: Entry,
    site: Site,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    result: Any,
    kind: str,
) -> None:
    """The full look after a call that torch has taken."""
    if kind != "schedule" and not session.tripped(site, kind):
        return
    arguments = _arguments(entry, args, kwargs)
    deep = session.settings.deep != "never"
    seen = _look(session, entry, arguments, result, deep=deep)
    if seen is not None and arguments is not None and seen.report.findings:
        session.tell(seen.report, Moment(site, calling_frame(_frame(1)), arguments, kind))


def _look(
    session: Session, entry: Entry, arguments: Mapping[str, Any] | None, result: Any, *, deep: bool
) -> Look | None:
    """Judge the call without ever failing."""
    if arguments is None:
        return None
    try:
        with nobody(), _unseen():
            if not all(map(_is_readable, arguments.values())):
                return None
            return look(entry.loss, arguments, None if result is None else outcome_of(result) or Outcome(), deep=deep)
    except Exception as error:  # noqa: BLE001 - our own trouble must never become the program's
        session.trouble(error)
        return None


def _is_readable(value: Any) -> bool:
    """Whether `value`, if a tensor, holds plain data on the host: anything else is read at a price.

    What stands for a tensor without being one, as in a symbolic trace, has nothing to read.
    """
    if not isinstance(value, Tensor):
        return not hasattr(type(value), "__torch_function__")
    return value.is_cpu and not value.is_nested and type(value).__torch_dispatch__ is Tensor.__torch_dispatch__


def _failed(
    session: Session,
    entry: Entry,
    site: Site,
    original: Function,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    error: Exception,
) -> tuple[Any] | None:
    """Torch has refused the call: fix it if that was asked for and loses nothing, else explain the error."""
    if reported(error) is not None or not session.tripped(site, "raised"):
        return None
    try:
        arguments = _arguments(entry, args, kwargs)
        if arguments is None:
            return None
        with nobody(), _unseen():
            seen = look(entry.loss, arguments, failure_of(error))
        if seen is None or not (seen := explained_by(seen)).report.findings:
            return None
        moment = Moment(site, calling_frame(_frame(1)), arguments, "raised")
        if session.settings.fix:
            with nobody():
                fixed = fixed_arguments(seen, entry.parameters, args, kwargs)
            if fixed is not None:
                result = original(*fixed[0], **fixed[1])
                session.tell_fixed(seen.report, moment)
                return (result,)
        session.tell_error(seen.report, moment, error)
    except (LossError, LossWarning):
        raise
    except Exception as trouble:  # noqa: BLE001 - our own trouble must never become the program's
        session.trouble(trouble)
    return None
