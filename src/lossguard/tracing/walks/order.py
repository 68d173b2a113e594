"""Which of several lines is the one at fault: two lines for one fault are one too many."""

from __future__ import annotations

import ast
import math
import types
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lossguard.findings import Finding
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.links.views import ProgramView
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.symptoms.symptom import Symptom
from lossguard.tracing.walks.steps import Chain, Step, is_birth, written_out

#: When a line ran: the number of the frame on the stack, the nearest to the loss last, and the place in it.
_When = tuple[int, int, int]
#: Before anything on the stack ran that still does.
_BEFORE: _When = (-1, 0, 0)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A finding with a line, or without one, and the way to it."""

    finding: Finding
    chain: Chain
    symptom: Symptom
    #: Whether a loader gave it as it is.
    from_data: bool


def by_use(chain: Chain, others: Iterable[ast.expr | None], at: Statement | None) -> Chain:
    """`chain` from where a function was called that is behind another argument of the loss too, and is right there.

    In `kl(soften(student), soften(teacher))` it is not `soften` that is wrong.
    """
    if not chain or at is None or chain[0].moment is None:
        return chain
    function = chain[0].moment.scope.node
    name = getattr(function, "name", "")
    written = [written_out(other, at)[0] for other in others if other is not None]
    calls = [node for each in written for node in ast.walk(each) if isinstance(node, ast.Call)]
    outside = [step for step in chain if step.moment is not None and step.moment.scope.node is not function]
    if not outside or not name or not any(called_name(node) == name for node in calls):
        return chain
    return [replace(outside[0], culprit=outside[0].taken), *outside[1:]]


def chosen(found: Sequence[Candidate], world: ProgramView | None) -> Candidate | None:
    """The one that is told; None if there is none, or more than one. With a world, the last to run broke the fit."""
    # Where something is only missing, a line that did something wrong is surer; and what was so from its birth is no
    # match for a line that changed it.
    done = [each for each in found if not each.symptom.unfinished]
    found = done if any(each.chain for each in done) else found
    named = [each for each in found if each.chain]
    if len(named) > 1:
        named = [each for each in named if each.chain and not is_birth(each.chain[0])]
    if len(named) > 1 and world is not None:
        last = last_to_run([each.chain for each in found], [each.from_data for each in found], world)
        named = named if last is None else [found[last]]
    return named[0] if len(named) == 1 else None


def last_to_run(chains: Sequence[Chain], from_data: Sequence[bool], world: ProgramView) -> int | None:
    """The place of the chain whose first line ran last; None if that cannot be told.

    What a loader gave was prepared before the model ran. For the rest the statements count by which the frames on the
    stack got it: those of a frame nearer to the loss ran later, and of one frame, those that stand below.
    """
    clocks = [
        -1 if prepared else getattr(chain[0].moment, "clock", math.inf)
        for chain, prepared in zip(chains, from_data, strict=True)
        if chain
    ]
    if len(clocks) == len(chains) > 1 and math.inf not in clocks and len(set(clocks)) == len(clocks):
        return clocks.index(max(clocks))
    when = [
        _BEFORE if prepared else _ran(chain, world) for chain, prepared in zip(chains, from_data, strict=True) if chain
    ]
    if len(when) != len(chains) or len(chains) < 2:
        return None
    latest = max(when)
    return when.index(latest) if when.count(latest) == 1 else None


def _ran(chain: list[Step], world: ProgramView) -> _When:
    for depth, frame in enumerate(world.frames):
        own = [step for step in chain if _is_in(step, frame, world)]
        if own:
            column = getattr(own[0].culprit, "end_col_offset", None) or 0
            return len(world.frames) - depth, own[0].line, column
    return _BEFORE


def _is_in(step: Step, frame: types.FrameType, world: ProgramView) -> bool:
    """Whether a step is a statement of a function or a module on the stack, in the very run that is there."""
    moment = world.moment(frame)
    if moment is None or step.moment is None:
        return False
    return step.moment.scope.node is moment.scope.node and not hasattr(step.moment, "activation")
