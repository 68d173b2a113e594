"""Which of several lines is the one at fault: two lines for one fault are one too many."""

from __future__ import annotations

import ast
import math
import types
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from lossguard.findings import Finding
from lossguard.operations.roles import SAMPLING
from lossguard.operations.table import named
from lossguard.tracing.evidence.replay import Activation
from lossguard.tracing.links.comprehensions import innermost
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import dotted
from lossguard.tracing.symptoms.symptom import Symptom
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.walks.sequences import chosen_at
from lossguard.tracing.walks.steps import Chain, Step, is_birth, is_of_layer, step_at, written_out
from lossguard.tracing.walks.walk import Walk

#: Calls that put things one after the other along a new axis.
_STACKING: Final = named("axes", "stacked")
#: Calls that take out every axis of size 1, unless they are told which.
_SQUEEZING: Final = named("axes", "without-ones")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A finding with a line, or without one, and the way to it."""

    finding: Finding
    chain: Chain
    symptom: Symptom
    #: Whether a loader gave it as it is.
    from_data: bool


def loss_chosen(walk: Walk) -> Chain:
    """The line that makes the loss which is called, or calls it, where it is a function."""
    at = walk.world.standing(walk.world.frames[0]) if walk.world.frames else None
    for node in ast.walk(at.statement) if at is not None else ():
        callee = at.evaluate(node.func) if at is not None and isinstance(node, ast.Call) else UNKNOWN
        if at is None or not isinstance(node, ast.Call) or not _is_loss(callee):
            continue
        if isinstance(callee, type) and dotted(node.func).rpartition(".")[2] != callee.__name__:
            return None  # a class that another line took for a function
        is_module = hasattr(callee, "forward") and not isinstance(callee, type)
        site = walk.construction.made(node, callee, at) if is_module else (node, at)
        return None if site is None else chosen_at(walk, *site) or [walk.culprit(*site)]
    return None


def _is_loss(value: Any) -> bool:
    """Whether it is a loss of torch's, an object, a class or a function."""
    is_object = hasattr(value, "forward") and not isinstance(value, type)
    home = type(value).__module__ if is_object else getattr(value, "__module__", None)
    return home in {"torch.nn.modules.loss", "torch.nn.functional"} or (home or "").startswith("torch._C._nn")


def after_layer(chain: Chain, node: ast.expr | None, at: Statement, line: int | None) -> Chain:
    """`chain`; from the call of the loss, if it begins at a layer or with what is new: a step is missing after it."""
    begins = chain and node is not None and (is_of_layer(chain[0]) or not chain[0].before)
    if chain and isinstance(chain[0].culprit, ast.Call) and called_name(chain[0].culprit) in _STACKING:
        return chain  # which axis is new was said there
    return [step_at(line or at.statement.lineno, at, culprit=node)] if begins else chain


def by_use(chain: Chain, others: Iterable[ast.expr | None], at: Statement) -> Chain:
    """`chain` from where a function was called that is behind another argument of the loss too, and is right there.

    In `kl(soften(student), soften(teacher))` it is not `soften` that is wrong.
    """
    if not chain or chain[0].moment is None:
        return chain
    function = chain[0].moment.scope.node
    name = getattr(function, "name", "")
    written = [written_out(other, at)[0] for other in others if other is not None]
    calls = [node for each in written for node in ast.walk(each) if isinstance(node, ast.Call)]
    outside = [step for step in chain if step.moment is not None and step.moment.scope.node is not function]
    if not outside or not name or not any(called_name(node) == name for node in calls):
        return chain
    return [replace(outside[0], culprit=outside[0].taken), *outside[1:]]


def by_sample(chain: Chain) -> Chain:
    """`chain` from where a sample's own code called a function that it calls for its other parts too.

    Where `image = read(path) / 255` and `mask = read(path)`, it is not `read` that is wrong.
    """
    own = _call_of(chain[0]) if chain else None
    callers: list[Activation] = []
    while own is not None and (not callers or callers[-1].code.co_name not in SAMPLING):
        caller = callers[-1].parent if callers else own.parent
        if caller is None:
            return chain
        callers.append(caller)
    for caller in callers:
        lines = [visit.line for visit in caller.visits for call in visit.calls if own and _ran(own.code, call)]
        outside = [step for step in chain or [] if _call_of(step) is caller]
        first = outside[0] if outside and len(set(lines)) > 1 else None
        if outside and len(lines) > len(set(lines)) == 1 and _unpacks(outside[0]):
            # A line that gives all parts at once is no line of the bad one's own.
            first = next((step for step in outside if step.line not in lines), None)
        if chain and first is not None:
            return [replace(first, culprit=first.taken), *chain[chain.index(first) + 1 :]]
    return chain


def _unpacks(step: Step) -> bool:
    """Whether a line gives several names a part each of what one expression gives."""
    match step.moment.statement if step.moment is not None else None:
        case ast.Assign(targets=[ast.Tuple()], value=value):
            return not isinstance(value, ast.Tuple)
    return False


def _call_of(step: Step) -> Activation | None:
    """The recorded call that a step is of."""
    return getattr(innermost(step.moment), "activation", None) if step.moment is not None else None


def _ran(code: types.CodeType, call: Activation) -> bool:
    """Whether a function ran in a call, or is that."""
    return call.code is code or any(_ran(code, other) for visit in call.visits for other in visit.calls)


def where_masked(infinite: Chain, chain: Chain) -> Chain:
    """`chain`, of what is no number; from the infinity that was written for it, if that is of the same function.

    Where a row is masked as a whole, the softmax that makes NaN of it does what it should.
    """
    if not infinite or not chain:
        return chain
    masked, born = infinite[0], chain[0]
    here = [step.moment.scope.node for step in (masked, born) if step.moment is not None]
    if masked.line == born.line or len(here) < 2 or here[0] is not here[1]:
        return chain
    note = f"a row that is masked as a whole becomes NaN in line {born.line}"
    return [replace(masked, after="", note=note), *chain]


def chosen(found: Sequence[Candidate], *, by_time: bool) -> Candidate | None:
    """The one that is told; None if there is none, or more than one. By the time, the last to run broke the fit."""
    # Where something is only missing, a line that did something wrong is surer; and what was so from its birth is no
    # match for a line that changed it.
    done = [each for each in found if not each.symptom.unfinished]
    found = done if any(each.chain for each in done) else found
    told = [each for each in found if each.chain]
    if len(told) > 1:
        told = [each for each in told if each.chain and not is_birth(each.chain[0])]
    if len(told) > 1 and by_time:
        last = last_to_run([each.chain for each in found], [each.from_data for each in found])
        told = _widened_alone(told) or (told if last is None else [found[last]])
    return told[0] if len(told) == 1 else None


def _widened_alone(found: Sequence[Candidate]) -> list[Candidate]:
    """The one that got an axis from a line, where the other was rid of its own axis, and no other one, on purpose."""
    first = [(each, each.chain[0]) for each in found if each.chain]
    wide = [each for each, step in first if each.symptom.name == "column" and step.before not in {"", step.after}]
    narrow = [step for each, step in first if each.symptom.name != "column" and not _takes_any_axis(step)]
    return wide if len(narrow) == 1 else []


def _takes_any_axis(step: Step) -> bool:
    """Whether a line takes out whatever axes have size 1: `scores.squeeze()`."""
    call = step.culprit if isinstance(step.culprit, ast.Call) else None
    told = call is not None and (call.keywords or any(not isinstance(word, ast.Name) for word in call.args))
    return call is not None and called_name(call) in _SQUEEZING and not told


def last_to_run(chains: Sequence[Chain], from_data: Sequence[bool]) -> int | None:
    """The place of the chain whose first line ran last; None if that is not known.

    What a loader gave was prepared before the model ran. For the rest the recorder's clock counts.
    """
    clocks = [
        -1 if prepared else getattr(chain[0].moment, "clock", math.inf)
        for chain, prepared in zip(chains, from_data, strict=True)
        if chain
    ]
    apart = len(clocks) == len(chains) > 1 and len(set(clocks)) == len(clocks)
    known = math.inf not in clocks or -1 in clocks
    return clocks.index(max(clocks)) if apart and known else None
