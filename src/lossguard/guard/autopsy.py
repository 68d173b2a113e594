"""The autopsy: from an exception back to the call of the loss that raised it, and from there to the fault."""

from __future__ import annotations

import ast
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import FrameType, TracebackType
from typing import Any

from lossguard.contracts.call import Call, UnknownLoss, read_call
from lossguard.findings import Finding, Place, Severity
from lossguard.guard import seams
from lossguard.guard.active import nobody
from lossguard.guard.calls.sites import is_inner, place_at
from lossguard.guard.errors import attach, carried, mark, reported
from lossguard.guard.expressions import failed_call
from lossguard.guard.frames import untouched
from lossguard.paths import is_library
from lossguard.reports.report import Report, Verdict

_LOSS_MODULES = "torch.nn.modules.loss"


def autopsy(exception: BaseException) -> Report:
    """Why `exception` was raised: the findings about the loss in its traceback, also added to it as a note.

    The exceptions it came from and those in a group are looked at too. What no loss explains is read as
    text; verdict `unrelated` or `unknown` when that tells nothing either.

    >>> import torch, lossguard
    >>> try:
    ...     torch.nn.functional.cross_entropy(torch.randn(2, 3), torch.tensor([0, 3]))
    ... except IndexError as error:
    ...     lossguard.autopsy(error).findings[0].name
    'class-index-out-of-range'
    """
    if not isinstance(exception, BaseException):
        raise TypeError(f"autopsy takes an exception; this is {type(exception).__name__}; explain takes a text")
    return explain_exception(exception)


def explain_exception(
    exception: BaseException, *, note: bool = True, replay: bool | None = None, seen: Iterable[Finding] = ()
) -> Report:
    """The report on `exception`; it gets no note unless `note`. `replay`: whether a dataset may be asked again.

    `seen` is what was warned of before.
    """
    chain = list(_chain(exception))
    for link in chain:
        if (known := reported(link)) is not None:
            mark(exception, known)
            return known
    with nobody(), untouched(*(frame for link in chain for frame, _ in _frames(link.__traceback__))):
        for link in chain:
            report = _examine(link, replay)
            if report is not None and report.findings:
                # Where a finding is noted on an inner exception, the printed chain shows it already.
                attach(link, report, note=note)
                mark(exception, report)
                return report
        report = _come_true(_read(exception), seen)
    attach(exception, report, note=note)
    return report


def _come_true(report: Report, seen: Iterable[Finding]) -> Report:
    """`report`, which words alone tell, or what was warned of before and has come true, as in a backward pass."""
    told = {(finding.code, finding.argument): finding for finding in report.findings[:1]}
    same = [finding for finding in seen if (finding.code, finding.argument) in told and not finding.is_error]
    if len(same) != 1:
        return report
    raised = told[same[0].code, same[0].argument]
    return Report((replace(same[0], severity=Severity.ERROR, refused=True, torch_says=raised.torch_says),))


def _chain(exception: BaseException) -> Iterator[BaseException]:
    """`exception`, those it came from and those it groups, each once."""
    waiting, seen = [exception], set[int]()
    while waiting:
        error = waiting.pop(0)
        if id(error) in seen:
            continue
        seen.add(id(error))
        yield error
        following = [error.__cause__, None if error.__suppress_context__ else error.__context__]
        waiting.extend(link for link in following if link is not None)
        if isinstance(error, BaseExceptionGroup):
            waiting.extend(error.exceptions)


def _frames(trace: TracebackType | None) -> list[tuple[FrameType, int]]:
    return [(frame, line) for frame, line in traceback.walk_tb(trace)]


def _examine(error: BaseException, replay: bool | None) -> Report | None:
    """What the frames of one exception show, innermost first."""
    frames = _frames(error.__traceback__)
    for depth in range(len(frames) - 1, -1, -1):
        call = _call_in(frames[depth][0])
        if call is not None:
            return _judged(error, call, frames[:depth], replay=replay)
    call = _carried_call(error)
    if call is not None:
        return _judged(error, call, frames, replay=replay)
    failed = failed_call(error) if isinstance(error, IndexError | RuntimeError | TypeError) else None
    return None if failed is None else _judged(error, failed.call, frames, failed.nodes, replay=replay)


def _judged(
    error: BaseException,
    call: Call,
    outer: list[tuple[FrameType, int]],
    nodes: Mapping[str, ast.expr] | None = None,
    *,
    replay: bool | None,
) -> Report:
    """What is wrong with a call that was made from the innermost of `outer`."""
    from lossguard.guard.looking import explained_by, failure_of, look_at

    report = explained_by(look_at(call, failure_of(error))).report
    place, frame = _users_place(outer)
    caller = next((each for each, _ in reversed(outer) if not is_inner(each.f_code)), None)
    placed = Report(tuple(replace(finding, place=place) for finding in report.findings))
    given = {**call.settings, **call.arguments}
    order = [name for name in call.loss.parameters if name in given]
    every = {name: given[name] for name in (*order, *call.arguments)}
    return seams.located(placed, every, frame, nodes, replay=replay, by_library=caller is not frame)


def _carried_call(error: BaseException) -> Call | None:
    """The call that the guard has put on the exception, because no frame of torch's shows it."""
    made = carried(error)
    arguments = None if made is None else made.own_arguments()
    try:
        return None if arguments is None else read_call(made.entry.loss, (), arguments)
    except (UnknownLoss, TypeError):
        return None


def _call_in(frame: FrameType) -> Call | None:
    """The call of a loss that runs in `frame`, if one does."""
    name = frame.f_globals.get("__name__")
    try:
        if name == "torch.nn.functional":
            from lossguard.guard.looking import arguments_in

            found = arguments_in(frame)
            return None if found is None else read_call(found[0], (), found[1])
        if name == _LOSS_MODULES and frame.f_code.co_name == "__init__":
            return _class_called(frame)
    except (UnknownLoss, TypeError):
        return None
    return None


def _class_called(frame: FrameType) -> Call | None:
    """`nn.CrossEntropyLoss(logits, target)`: the class was given what belongs to its instance."""
    code, held = frame.f_code, frame.f_locals
    # The constructors of base classes run in frames of the same kind, with fewer arguments.
    cls: Any = type(held.get("self"))
    if getattr(cls.__init__, "__code__", None) is not code:
        return None
    names = code.co_varnames[1 : code.co_argcount]
    given: list[Any] = [held.get(name) for name in names]
    if not given or not any(hasattr(value, "dtype") for value in given[:2]):
        return None
    return read_call(cls, tuple(given[:2]), {})


def _users_place(frames: list[tuple[FrameType, int]]) -> tuple[Place | None, FrameType | None]:
    """The innermost line of the user's own code; of a library, if there is no other."""
    outer = [(frame, line) for frame, line in frames if not is_inner(frame.f_code)]
    own = [(frame, line) for frame, line in outer if not is_library(frame.f_code.co_filename)]
    for frame, line in reversed(own or outer):
        return place_at(frame.f_code.co_filename, line), frame
    return None, None


def _read(exception: BaseException) -> Report:
    """What the words tell, when no frame does: compiled and scripted code leaves nothing else."""
    text = "".join(traceback.format_exception(exception))
    report = seams.explained(text)
    if report is None:
        return Report(otherwise=Verdict.UNKNOWN)
    place, _ = _users_place(_frames(exception.__traceback__))
    placed = tuple(replace(finding, place=place or finding.place) for finding in report.findings)
    return Report(placed, otherwise=report.otherwise)
