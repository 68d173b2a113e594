"""The full look at a call: when there is a reason for one, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, Final

import torch
from torch import Tensor
from torch.autograd import profiler

from lossguard.facts.observation import Outcome
from lossguard.facts.torch_versions import one_thread
from lossguard.guard.accelerator import watching as accelerator
from lossguard.guard.active import nobody
from lossguard.guard.calls.call import GuardedCall
from lossguard.guard.calls.entries import Entry
from lossguard.guard.calls.plans import Watched
from lossguard.guard.errors import LossError, LossWarning, carry, reported
from lossguard.guard.fixing import fixed_arguments
from lossguard.guard.looking import Look, explained_by, failure_of, look, outcome_of
from lossguard.interruptions import is_of_handler
from lossguard.reports.report import Report

_tracing = torch._C._get_tracing_state  # noqa: SLF001 - torch.jit.is_tracing asks the same, slower
_transform = torch._C._functorch.peek_interpreter_stack  # noqa: SLF001 - no public twin
_modes = torch._C._len_torch_dispatch_stack  # noqa: SLF001 - no public twin
_unseen = torch._C.DisableTorchFunction  # noqa: SLF001 - subclasses and modes must not see us; the public twin leaves modes
#: Torch itself reads no fewer values than this with more than one thread.
_READ_BY_ONE: Final = 32_768


def is_unreadable() -> bool:
    """Whether nothing may be read here: under a dispatch mode, in a trace, in a transform of torch.func."""
    return _transform() is not None or _modes() > 0 or _tracing() is not None


def strays(entry: Entry, unchecked: tuple[Watched, ...], args: tuple[Any, ...]) -> bool:
    """Whether a value that torch does not look at lies out of its range."""
    return any(_is_stray(watched, args[entry.parameters.index(watched.name)]) for watched in unchecked)


def _is_stray(watched: Watched, value: Any) -> bool:
    if not isinstance(value, Tensor) or not _is_readable(value) or value.numel() == 0:
        return False
    if value.numel() < _READ_BY_ONE:
        low, high = torch.aminmax(value.detach())
    else:
        with one_thread():
            low, high = torch.aminmax(value.detach())
    return not (low.item() >= watched.least and high.item() <= watched.greatest)


def refuse_harm(call: GuardedCall) -> None:
    """Raise if the call must not be made, because a label would corrupt memory."""
    plan = call.plan
    with _unseen():
        harmful = plan.dangerous and (strays(call.entry, plan.unchecked, call.args) or not plan.unchecked)
    if harmful:
        arguments = call.arguments()
        seen = _look(call, arguments, None, deep=False)
        if seen is not None and arguments is not None:
            found = [f for f in seen.report.findings if f.argument in seen.call.contract.corrupting and f.is_error]
            if found:
                call.session.tell(Report(tuple(found)), call.moment(arguments, "values"), refuse=True)


def look_back(call: GuardedCall, result: Any) -> None:
    """Ask, after a call that torch has taken, whether anything about it is worth the full look, and take it.

    What is no tensor did not come from torch, but from something that stands in for a tensor. While a profiler runs,
    nothing is done that it would show.
    """
    try:
        if is_unreadable() or not isinstance(result, Tensor | tuple):
            return
        if call.plan.outline is not None:
            accelerator.follow(call, result)
        elif profiler._is_profiler_enabled:  # noqa: SLF001 - no public twin
            return
        elif (kind := _reason_to_look(call, result)) is not None:
            _look_behind(call, result, kind)
    except (LossError, LossWarning):
        raise
    except Exception as error:  # noqa: BLE001 - our own trouble must never become the program's
        call.session.trouble(error)


def _reason_to_look(call: GuardedCall, result: Any) -> str | None:
    """Why a call that torch has taken should be looked at as a whole, if it should."""
    plan = call.plan
    with _unseen():
        if plan.scalar and type(result) is Tensor and result.ndim == 0 and not plan.lowest <= result.item() < inf:
            return "result"
        if plan.unchecked and not plan.dangerous and strays(call.entry, plan.unchecked, call.args):
            return "values"
    if plan.suspicious:
        return "shapes"
    return "schedule" if call.session.looks_deep(call.site) else None


def _look_behind(call: GuardedCall, result: Any, kind: str) -> None:
    """The full look after a call that torch has taken."""
    session = call.session
    if kind != "schedule" and not session.tripped(call.site, kind):
        return
    arguments = call.arguments()
    seen = _look(call, arguments, result, deep=session.settings.deep != "never")
    if seen is not None and arguments is not None and seen.report.findings:
        session.tell(seen.report, call.moment(arguments, kind))


def _look(call: GuardedCall, arguments: Mapping[str, Any] | None, result: Any, *, deep: bool) -> Look | None:
    """Judge the call."""
    if arguments is None:
        return None
    with nobody(), _unseen(), one_thread():
        if not all(map(_is_readable, arguments.values())):
            return None
        outcome = None if result is None else outcome_of(result) or Outcome()
        return look(call.entry.loss, arguments, outcome, deep=deep)


def _is_readable(value: Any) -> bool:
    """Whether `value`, if a tensor, holds plain data on the host: anything else is read at a price.

    What stands for a tensor without being one, as in a symbolic trace, has nothing to read.
    """
    if not isinstance(value, Tensor):
        return not hasattr(type(value), "__torch_function__")
    return value.is_cpu and not value.is_nested and type(value).__torch_dispatch__ is Tensor.__torch_dispatch__


def examine_error(call: GuardedCall, original: Callable[..., Any], error: Exception) -> tuple[Any] | None:
    """Torch has refused the call: fix it if that was asked for and loses nothing, else explain the error.

    The result of the fixed call, in a tuple; None if the error stands. What is not explained now is explained by an
    autopsy, if the error ever leaves the program: it finds the call on the error.
    """
    if reported(error) is not None or is_unreadable() or is_of_handler(error):
        return None
    try:
        if call.session.tripped(call.site, "raised"):
            return _explained(call, original, error)
        carry(error, call)
    except (LossError, LossWarning):
        raise
    except Exception as trouble:  # noqa: BLE001 - our own trouble must never become the program's
        call.session.trouble(trouble)
    return None


def _explained(call: GuardedCall, original: Callable[..., Any], error: Exception) -> tuple[Any] | None:
    session, arguments = call.session, call.arguments()
    if arguments is None:
        return None
    with nobody(), _unseen():
        seen = look(call.entry.loss, arguments, failure_of(error))
    if seen is None or not (seen := explained_by(seen)).report.findings:
        return None
    moment = call.moment(arguments, "raised")
    if session.settings.fix:
        with nobody():
            fixed = fixed_arguments(seen, call.entry.parameters, call.args, call.kwargs)
        if fixed is not None:
            result = original(*fixed[0], **fixed[1])
            session.tell_fixed(seen.report, moment)
            return (result,)
    session.tell_error(seen.report, moment, error)
    return None
