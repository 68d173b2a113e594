"""The hot path: what runs around each call of a loss. Everything dear is prepared or put off.

While compiling, tracing, or inside a transform of `torch.func` the call goes straight through; so it does for
tensors without readable values. What torch raises, it raises; we only look at the arguments then. No frame of ours
stays in a traceback: whoever reads it, or stops there in a debugger, finds torch's frames and his own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import inf
from types import FunctionType
from typing import Any, Final

import torch
from torch import Tensor
from torch.autograd import profiler
from torch.overrides import handle_torch_function

from lossguard.facts.torch_versions import is_dynamo_compiling
from lossguard.guard.accelerator.watching import Shielded
from lossguard.guard.active import EVERYWHERE, STACK, current
from lossguard.guard.calls.call import GuardedCall
from lossguard.guard.calls.disguise import Disguised
from lossguard.guard.calls.entries import Entry
from lossguard.guard.calls.examining import examine_error, look_back, strays
from lossguard.guard.calls.plans import NOTHING
from lossguard.guard.calls.preparing import prepared, site_of
from lossguard.guard.errors import LossError, LossWarning, leave, reported
from lossguard.inplace import Function, InPlace
from lossguard.interruptions import let_through

_tracing = torch._C._get_tracing_state  # noqa: SLF001 - torch.jit.is_tracing asks the same, slower
_modes = torch._C._len_torch_dispatch_stack  # noqa: SLF001 - no public twin
_function_modes = torch._C._len_torch_function_stack  # noqa: SLF001 - no public twin
_has_torch_function = torch._C._has_torch_function  # noqa: SLF001 - the public name is a Python function around it
_frame = sys._getframe  # noqa: SLF001 - inspect.currentframe costs three times as much
_stack = STACK.get

#: The arguments at their places, and what is left by name.
Laid = tuple[tuple[Any, ...], dict[str, Any]]


def disguised(entry: Entry, original: Function) -> Disguised:
    """`original`, a function that torch has under a name of its own, watched."""
    wrapper: Any = watching(entry, original)
    shown = wrapper.shown = Disguised(wrapper, original)
    return shown


def watching(entry: Entry, original: Function) -> Function:  # noqa: C901, PLR0915 - the hot path is in it, see below
    """`original`, watched. The wrapper passes straight through when nobody guards the present thread.

    Most calls are like the last one from the same place, in shapes, dtypes and settings, and nothing is to be
    done for them but to read the loss. They are recognised in the wrapper itself: in a training step its code is
    cold, and every function, table and tuple it touches costs several times what a tight loop shows. All other
    calls go through `prepared` and `look_back`.
    """
    first, second = entry.leading
    rest, loss = entry.rest, entry.loss
    laid_out = _laying_out(entry)

    def guarded(*args: Any, **kwargs: Any) -> Any:  # noqa: C901, PLR0912 - see above
        if is_dynamo_compiling():
            return original(*args, **kwargs)
        stack = _stack()
        session = stack[-1] if stack else EVERYWHERE[-1] if EVERYWHERE else None
        calls, site, plan, places, named = 0, None, NOTHING, args, kwargs
        try:
            if session is None:
                return original(*args, **kwargs)
            if kwargs:
                places, named = laid_out(args, kwargs)
            try:
                for depth, code, instruction, known in () if _function_modes() else session.recent_sites.get(loss, ()):
                    if (frame := _frame(depth)).f_code is code and frame.f_lasti == instruction:
                        kind, kind2, shape, shape2, dtype, dtype2, strides, settings, names, lowest, unchecked, plan = (
                            known.latest
                        )
                        a, b = places[first], places[second]
                        if (
                            type(a) is kind
                            and type(b) is kind2
                            and _tracing() is None
                            and a.shape == shape
                            and b.shape == shape2
                            and a.dtype is dtype
                            and b.dtype is dtype2
                            and a.is_cpu
                            and places[rest] == settings
                            and named == names
                            and not session.pending
                            and (strides is None or (a.stride(), b.stride()) == strides)
                        ):
                            site = known
                            site.calls = calls = site.calls + 1
                        break
            except Exception as error:  # noqa: BLE001 - whatever it is, the call is not like the last one
                # Fewer arguments, a stack less deep, a setting that is a tensor, a tensor without strides.
                let_through(error)
            if site is None:
                given = (*args, *kwargs.values())
                if _has_torch_function(given):
                    # Subclasses and modes have their way first, and get the function they know; they call this again.
                    return hand_over(given, args, kwargs)
                call = prepared(session, entry, _frame(), places, named)
                if call is not None:
                    site, plan, places = call.site, call.plan, call.args
                    if type(places) is Shielded:
                        args, kwargs = places, named
            try:
                result = original(*args, **kwargs)
            except Exception as error:
                if site is None:
                    raise
                fixed = examine_error(GuardedCall(session, entry, site, plan, places, named), original, error)
                if fixed is None:
                    raise
                return fixed[0]
            if calls & (calls - 1):
                if (lowest is None and not unchecked) or _modes() or profiler._is_profiler_enabled:  # noqa: SLF001 - no public twin
                    return result
                try:
                    # NaN is neither greater nor smaller than anything.
                    fine = lowest is None or (type(result) is Tensor and lowest <= result.item() < inf)
                    if fine and not (unchecked and strays(entry, unchecked, places)):
                        return result
                except RuntimeError as error:
                    let_through(error)
                    return result  # a transform of torch.func, in which nobody may read
            if site is not None:
                look_back(GuardedCall(session, entry, site, plan, places, named), result)
        except Exception as error:
            leave(error)
            raise
        return result

    def hand_over(given: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        shown = guarded.shown  # type: ignore[attr-defined]
        if shown is None:
            return original(*args, **kwargs)
        return handle_torch_function(shown, given, *args, **kwargs)

    #: What others take the wrapper for; None if that is no object of our own.
    guarded.shown = None  # type: ignore[attr-defined]
    return guarded


def _laying_out(entry: Entry) -> Callable[[tuple[Any, ...], dict[str, Any]], Laid]:
    """What puts arguments that were given by name at their places, knowing how the last such call was written."""
    layouts: dict[tuple[Any, ...], tuple[str, ...]] = {}

    def laid_out(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Laid:
        key = (len(args), *kwargs)
        names = layouts.get(key)
        if names is None:
            names = layouts[key] = entry.layout(len(args), tuple(kwargs))
        if not names:
            return args, kwargs
        left = {name: value for name, value in kwargs.items() if name not in names} if len(names) < len(kwargs) else {}
        return (*args, *[kwargs[name] for name in names]), left

    return laid_out


#: The code of a function that is looked at when it raises, and of one that is watched as a whole.
CATCHING: Final = """
    try:
        return _lossguard_original({arguments})
    except Exception as _lossguard_error:
        _lossguard_fixed = _lossguard_failed(_lossguard_error, {arguments})
        if _lossguard_fixed is None:
            _lossguard_leave(_lossguard_error)
            raise
        return _lossguard_fixed[0]
"""
WATCHING: Final = """
    try:
        return _lossguard_watched({arguments})
    except Exception as _lossguard_error:
        _lossguard_leave(_lossguard_error)
        raise
"""


def in_place(entry: Entry, function: FunctionType) -> InPlace:
    """`function`, which torch has written in Python, watched; or only looked at when it raises by itself."""

    def make(original: Function) -> dict[str, Any]:
        watched = {} if entry.errors_only else {"watched": watching(entry, original)}
        return {**watched, "original": original, "failed": _failing(entry, original), "leave": leave}

    return InPlace(function, CATCHING if entry.errors_only else WATCHING, make)


def _failing(entry: Entry, original: Function) -> Callable[..., tuple[Any] | None]:
    """What looks at an error that `original` has raised, and calls it again if the call was fixed."""

    def failed(error: Exception, *args: Any, **kwargs: Any) -> tuple[Any] | None:
        session = current()
        if session is None or isinstance(error, LossError | LossWarning) or reported(error) is not None:
            return None
        site = site_of(session, entry.loss, _frame())
        site.calls += 1
        return examine_error(GuardedCall(session, entry, site, NOTHING, args, kwargs), original, error)

    return failed
