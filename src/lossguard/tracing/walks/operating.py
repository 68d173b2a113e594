"""Back through a computation: the fault is older if an operand is bad, and is here if none is."""

from __future__ import annotations

import ast
from typing import Any, Final

from lossguard.contracts.dtypes import is_floating
from lossguard.operations.roles import FILLING_WORDS
from lossguard.tracing.links.classes import is_opaque
from lossguard.tracing.links.comprehensions import innermost
from lossguard.tracing.links.recognising import (
    implied_operand,
    is_cut,
    is_filling,
    is_many,
    is_number,
    is_text_source,
    read_in,
    reads_like_label,
)
from lossguard.tracing.links.recorded import RecordedStatement
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import Definition, Path
from lossguard.tracing.program.sources import own_nodes
from lossguard.tracing.symptoms import effects
from lossguard.tracing.symptoms.symptom import MISSING, Judgement, Symptom, described, dtype_of
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.layers import has_lost_weights
from lossguard.tracing.walks.blending import is_mixed, is_statistic, summands
from lossguard.tracing.walks.entering import given_for
from lossguard.tracing.walks.judging import entry_in, is_output, judge_expression, keeps_rows, path_into
from lossguard.tracing.walks.scaling import is_scaled, makes_shares
from lossguard.tracing.walks.sequences import chosen_maker, left_out, sequence
from lossguard.tracing.walks.settings import told_elsewhere
from lossguard.tracing.walks.steps import (
    Chain,
    agreed,
    given_to,
    is_birth,
    is_cast,
    is_only_handed_on,
    makes_tensor,
    used_alone,
)
from lossguard.tracing.walks.walk import Walk

#: So many names one after the other are looked through.
_NAMES: Final = 4
#: What only labels are bad for.
_OF_LABELS: Final = frozenset({"floating", "fractional", "outside"})
#: What a model's last step is bad for; not by its meaning, but by its numbers.
_BEYOND: Final = effects.OF_OUTPUTS - {"scores"}


def operation(walk: Walk, node: ast.expr, operands: list[ast.expr], at: Statement, path: Path) -> Chain:
    """A computation: the fault is older if an operand is bad, and is here if none is."""
    callee = at.evaluate(node.func) if isinstance(node, ast.Call) else UNKNOWN
    if hasattr(callee, "forward") and (walk.symptom.name in _OF_LABELS or _has_weights_so(walk, callee)):
        # What a layer gives is no label yet, and what it is given still less; and its dtype is that of its weights.
        return None
    if _is_made_here(walk, node, operands, callee, at):
        data = _data_within(walk, node, at) if walk.symptom.name == "negative" else None
        return [walk.culprit(*left_out(walk, node, at) or (node, at))] if data is None else walk.back(data, at)
    if walk.symptom.name in _BEYOND | {"probabilities"} and type(callee).__name__ == "Sequential":
        return sequence(walk, node, callee, UNKNOWN, at)
    judged = [
        (operand, *judge_expression(walk.symptom, operand, at, path_into(walk.symptom, node, operand, at, path)))
        for operand in operands
    ]
    bad = [(operand, value) for operand, value, found in judged if found is Judgement.BAD]
    good = [(operand, value) for operand, value, found in judged if found is Judgement.GOOD]
    unknown = [operand for operand, _, found in judged if found is Judgement.UNKNOWN]
    unknown = [operand for operand in unknown if walk.symptom.about != "values" or not _is_made_of_nothing(operand)]
    if walk.symptom.name == "non-finite" and any(map(has_lost_weights, [callee, *(value for _, value in bad)])):
        # No line made the weights so: the training did.
        walk.weights_lost = True
        return None
    carriers = [operand for operand, value in bad if is_many(value)]
    carriers = [operand for operand in carriers if not is_statistic(node, operand, good, at, walk.symptom)]
    if carriers:
        # What is only put together was made bad by one of its parts.
        beside = unknown if len(unknown) == 1 and isinstance(node, ast.Tuple | ast.List) else []
        return _carried(walk, node, [*carriers, *beside], at, path)
    kept = walk.symptom.name in MISSING or (walk.symptom.name == "negative" and effects.only_scales(node))
    if bad and (kept or not is_mixed(bad, good, unknown)):
        return _filled(walk, node, bad[0][0], at, path)
    if type(callee).__name__ == "Sequential":
        return sequence(walk, node, callee, judged[-1][1] if judged else UNKNOWN, at)
    if bad or not unknown:
        own = walk.culprit(node, at, before=given_to(node, good, at.evaluate(node), walk.symptom))
        here = told_elsewhere(walk, node, callee, operands, at, path, own)
        older = _filled_in(walk, node, bad, at) if bad else _cast_before(walk, node, good, at, path)
        older = older or _odd_one(walk, node, judged, at)
        return older or here or [own]
    implied = implied_operand(node, unknown, at, walk.symptom.values)
    if implied is not UNKNOWN:
        return walk.back(unknown[0], at, path) if walk.is_bad(implied) else [walk.culprit(node, at)]
    return _blended(walk, node, at) or _by_source(walk, node, unknown, at, path) or _by_names(walk, node, at)


def _filled(walk: Walk, node: ast.expr, operand: ast.expr, at: Statement, path: Path) -> Chain:
    """Back from a number by which many became bad; of a constant that places are filled with, from where that is said.

    A constant may be meant for anything: what it is filled in for is said here, or where it is written out in the call
    of this function.
    """
    chain = walk.back(operand, at, path)
    if not chain or not is_filling(node, chain[0].culprit):
        return chain
    found = at.definitions(operand.id) if isinstance(operand, ast.Name) else []
    given = given_for(walk, found[0][0].parameter, at) if len(found) == 1 and found[0][0].parameter else None
    return chain if given is not None and given[0] is chain[0].culprit else [walk.culprit(node, at)]


def _is_made_here(walk: Walk, node: ast.expr, operands: list[ast.expr], callee: Any, at: Statement) -> bool:
    """Whether an operation makes what is bad, whatever it is given."""
    name = walk.symptom.name
    return (
        (name in _BEYOND and is_output(walk.symptom, node, callee))
        or (name == "no distribution" and makes_shares(node, at))
        or (name == "outside 0 to 1" and is_scaled(node, operands, at))
        or effects.makes_anew(node, name, walk.symptom.about)
        or (walk.symptom.about == "shape" and effects.picks(node))
        or _is_cast(walk, node, at)
    )


def _carried(walk: Walk, node: ast.expr, carriers: list[ast.expr], at: Statement, path: Path) -> Chain:
    """Back from the first operand that is bad; from the next one, if that way leads in a circle.

    Where a line must be seen to have made it so, from all of them.
    """
    if len(carriers) > 1 and effects.joins_truths(node, walk.symptom.name):
        return [walk.culprit(node, at)]
    chains: list[Chain] = []
    for carrier in carriers:
        within = path_into(walk.symptom, node, carrier, at, path)
        chains.append(walk.back(carrier, at, entry_in(walk.symptom, at.evaluate(carrier), within)))
        if chains[-1] != [] and not walk.symptom.witnessed:
            return chains[-1]
    return chains[-1] if len(chains) == 1 else agreed([chain for chain in chains if chain and chain[0].before])


def _filled_in(walk: Walk, node: ast.expr, bad: list[tuple[ast.expr, Any]], at: Statement) -> Chain:
    """Back from the one number that gaps are filled with, if it was worked out or looked up, and not only chosen."""
    words = node.keywords if isinstance(node, ast.Call) and walk.symptom.about == "values" else []
    fillers = [word.value for word in words if word.arg in FILLING_WORDS]
    found = [part for part, _ in bad if any(part is filler for filler in fillers)]
    chain = walk.back(found[0], at) if len(found) == len(bad) == 1 else None
    return (
        chain if chain and chain[0].culprit and not isinstance(chain[0].culprit, ast.Constant | ast.UnaryOp) else None
    )


def _is_made_of_nothing(node: ast.expr) -> bool:
    """Whether an expression has only numbers that are written out and numbers that are drawn or made anew in it."""
    match node:
        case ast.BinOp(left=left, right=right):
            return _is_made_of_nothing(left) and _is_made_of_nothing(right)
        case ast.UnaryOp(operand=operand):
            return _is_made_of_nothing(operand)
    return isinstance(node, ast.Constant) or effects.makes_anew(node, "", "values")


def _has_weights_so(walk: Walk, layer: Any) -> bool:
    """Whether the dtype of a layer's own weights is the one that is bad: no line of its input made it so."""
    return walk.symptom.about == "dtype" and any(map(walk.is_bad, getattr(layer, "parameters", tuple)()))


def _is_cast(walk: Walk, node: ast.expr, at: Statement) -> bool:
    """Whether a dtype that is bad is asked for here: then it does not matter what it was before."""
    asked = walk.symptom.about == "dtype" and isinstance(node, ast.Call) and effects.dtype_named(node) is not None
    return asked and walk.is_bad(at.evaluate(node))


def _cast_before(walk: Walk, node: ast.expr, good: list[tuple[ast.expr, Any]], at: Statement, path: Path) -> Chain:
    """The line that gave an array, not a tensor yet, what is bad in a tensor.

    It did so in so many words; or another array beside it has the right dtype by now, so that this one should have it.
    """
    behind = walk.symptom.behind
    for operand, value in good if behind is not None else ():
        if behind is not None and behind.judge(value) is Judgement.BAD:
            chain = walk.back_for(behind, operand, at, path)
            if chain and not is_cast(chain[0]) and _is_right_beside(behind, node, at):
                own = used_alone(chain)
                shown = chain[0].before or is_birth(chain[0])
                return own if own is not chain or (shown and is_only_handed_on(chain)) else None
            # What was float32 until it was mixed with numbers of 64 bits.
            widened = chain and behind.name != "whole" and is_floating(chain[0].before.partition("[")[0])
            if not chain or not (is_cast(chain[0]) or is_birth(chain[0]) or widened):
                return None
            # Of whole numbers that are cut out of data, the data may be as it is.
            cut = is_cut(operand) or chain[0].after not in {"", described(value)}
            return None if walk.symptom.name == "whole" and cut else chain
    return None


def _is_right_beside(behind: Symptom, node: ast.expr, at: Statement) -> bool:
    """Whether the same function makes another tensor of an array of real numbers that are good, without a cast."""
    calls = [each for each in own_nodes(at.scope.node) if isinstance(each, ast.Call) and each is not node]
    plain = [call for call in calls if makes_tensor(call) and not any(map(_names_dtype, ast.walk(call)))]
    given = [at.evaluate(call.args[0]) for call in plain if call.args]
    return any(is_floating(dtype_of(value)) and behind.judge(value) is Judgement.GOOD for value in given)


def _names_dtype(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and effects.dtype_named(node) is not None


def _odd_one(walk: Walk, node: ast.expr, judged: list[tuple[ast.expr, Any, Judgement]], at: Statement) -> Chain:
    """The line that made one of several operands unlike the others, where they were combined each with each.

    Of a loop, a later turn or its end may show it: what is moved too far grows, and the first bad one may be so by one.
    """
    moved = walk.symptom.about == "values" and isinstance(getattr(node, "op", None), ast.Add)
    fitting = walk.symptom.about == "shape" and Judgement.BAD not in {found for _, _, found in judged}
    among = walk.symptom.among if moved or fitting else None
    for turn in [at, *(at.later_turns if moved and isinstance(at, RecordedStatement) else [])]:
        values = [value if turn is at else turn.evaluate(operand) for operand, value, _ in judged]
        # Of a number that is counted on, the last before it: it may itself be as many as there are.
        values = [value - 1 if turn is not at and isinstance(value, int) else value for value in values]
        if among is not None and (found := among(values)) is not None:
            chain = walk.back_for(found[1], judged[found[0]][0], turn)
            return chain if chain and chain[0].before else None
    return None


def _data_within(walk: Walk, node: ast.expr, at: Statement) -> ast.expr | None:
    """The part of a sum that no weights made and that alone is bad; all others are known to be good."""
    judged = [(part, *judge_expression(walk.symptom, part, at, ())) for part in summands(node)]
    bad = [(part, value) for part, value, found in judged if found is Judgement.BAD]
    others = {found for _, _, found in judged if found is not Judgement.BAD}
    alone = len(judged) > 1 and len(bad) == 1 and others <= {Judgement.GOOD, Judgement.NEITHER}
    return bad[0][0] if alone and is_many(bad[0][1]) and not getattr(bad[0][1], "requires_grad", True) else None


def _blended(walk: Walk, node: ast.expr, at: Statement) -> Chain:
    """Labels that are known, mixed with numbers that are not: if they were good, they became bad here."""
    if not isinstance(node, ast.BinOp) or walk.symptom.name not in {"fractional", "floating"}:
        return None
    judged = [(part, *judge_expression(walk.symptom, part, at, ())) for part in summands(node)]
    carriers = [part for part, value, found in judged if found is Judgement.BAD and is_many(value)]
    if carriers:
        return walk.back(carriers[0], at)
    labels = [part for part, value, found in judged if found is Judgement.GOOD and is_many(value)]
    unsure = [part for part, _, found in judged if found is Judgement.UNKNOWN and reads_like_label(part)]
    return [walk.culprit(node, at)] if labels and not unsure else None


def _by_names(walk: Walk, node: ast.expr, at: Statement) -> Chain:
    """What is bad was made of names that were all good when this ran, in one line: something in it made it so."""
    if not isinstance(innermost(at), RecordedStatement) or walk.symptom.about == "meaning":
        return None
    # What a comprehension in it gives a name to is an element of what it runs over, whose names are read as well.
    bound = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    read = [part for part in read_in(node, at) if getattr(part, "id", None) not in bound]
    judged = [
        judged_by_names(walk, part, at)
        if isinstance(part, ast.Name)
        else judge_expression(walk.symptom, part, at, ())[1]
        for part in read
    ]
    if any(is_many(at.evaluate(part)) for part in read):
        # A plain number by which many are multiplied is none of them.
        judged = [Judgement.NEITHER if is_number(part, at) else found for part, found in zip(read, judged, strict=True)]
    sure = Judgement.GOOD in judged and not {Judgement.BAD, Judgement.UNKNOWN} & {*judged}
    good = [part for part, found in zip(read, judged, strict=True) if found is Judgement.GOOD]
    before = described(at.evaluate(good[0])) if len(good) == 1 else ""
    return [walk.culprit(node, at, before=before)] if sure and node.lineno == node.end_lineno else None


def judged_by_names(walk: Walk, node: ast.Name, at: Statement, left: int = _NAMES) -> Judgement:
    """How a name is judged; if it held an object of a library that is no data, by what that was made of."""
    value, judged = judge_expression(walk.symptom, node, at, ())
    kinds = at.kinds(node.id) if value is UNKNOWN else {type(value)}
    found = at.definitions(node.id)
    written = found[0][0].value if len(found) == 1 and not found[0][0].path else None
    if judged is not Judgement.UNKNOWN or written is None or not left or not kinds or not all(map(is_opaque, kinds)):
        return judged
    inner = [part for part in ast.walk(written) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)]
    parts = {judged_by_names(walk, part, found[0][1], left - 1) for part in inner}
    return next((one for one in (Judgement.BAD, Judgement.UNKNOWN, Judgement.GOOD) if one in parts), Judgement.NEITHER)


def _by_source(walk: Walk, node: ast.expr, unknown: list[ast.expr], at: Statement, path: Path) -> Chain:
    """Values are not known: go by what the source proves of the operands, or by what the operation is called."""
    chain = _by_words(walk, node, unknown, at, path)
    numbers = walk.symptom.name == "class numbers" and chain and effects.makes_whole(chain[0].culprit)
    # Whole numbers are no fault of theirs: that they became real ones is.
    return [walk.culprit(node, at)] if numbers and effects.makes_real(node) else chain


def _by_words(walk: Walk, node: ast.expr, unknown: list[ast.expr], at: Statement, path: Path) -> Chain:
    """By what the operation is called."""
    callee = at.evaluate(node.func) if isinstance(node, ast.Call) else UNKNOWN
    layer = type(callee).__name__ if hasattr(callee, "forward") else ""
    effect = effects.effect_of(node, walk.symptom.name, layer)
    by_name = called_name(node) if isinstance(node, ast.Call) else ""
    if effect is effects.CREATES and callee is UNKNOWN and walk.world.defines(by_name):
        return None  # what a method of the user's reads is found inside of it
    if effect in {effects.MAKES, effects.CREATES} or is_text_source(node):
        site = _replaced(walk, node, at) or _told_axis(walk, node, callee, at) if layer else None
        site = site or left_out(walk, node, at)
        chosen = chosen_maker(walk, callee) if layer and site is None else None
        return chosen or [walk.culprit(*site or (node, at))]
    if unknown and (effect is effects.KEEPS or keeps_rows(walk.symptom, node, unknown, at)):
        chain = walk.back(unknown[0], at, path)
        # A number that is read out of a text comes into being here, and not where the text was opened. Of a
        # comparison, which is no number yet, it is made by the cast.
        compared = walk.symptom.name == "zeros and ones" and effects.casts(node)
        born = chain and (is_text_source(chain[0].culprit) or (compared and isinstance(chain[0].culprit, ast.Compare)))
        return [walk.culprit(node, at)] if born else chain
    if any(effects.effect_of(operand, walk.symptom.name) is effects.MAKES for operand in unknown[1:]):
        return [walk.culprit(node, at)]
    if _is_by_maker(walk, node, at):
        return [walk.culprit(node, at)]
    if isinstance(node, ast.Tuple | ast.List) and walk.symptom.about in {"dtype", "values"}:
        # What is only put together is as it was: all parts must lead to one line.
        chains = [walk.back(operand, at) for operand in unknown]
        return agreed([chain for chain in chains if chain]) if None not in chains else None
    return None


def _is_by_maker(walk: Walk, node: ast.expr, at: Statement) -> bool:
    """Whether a method is that of an object whose class makes what is bad, as an encoder's is."""
    owner = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    holder = owner.value if isinstance(owner, ast.Attribute) else None
    found: list[tuple[Definition, Statement]] = at.definitions(owner.id) if isinstance(owner, ast.Name) else []
    if isinstance(owner, ast.Attribute) and isinstance(holder, ast.Name):
        thing = at.evaluate(holder)
        found = walk.world.setters(at.handle(holder.id) if thing is UNKNOWN else thing, owner.attr, at)
    made = [definition.value for definition, _ in found if definition.value is not None]
    return bool(made) and all(effects.effect_of(call, walk.symptom.name) is effects.MAKES for call in made)


def _told_axis(walk: Walk, node: ast.expr, layer: Any, at: Statement) -> tuple[ast.expr, Statement] | None:
    """Where a layer was made that was told along which axis to go, if it went along another than that of classes."""
    told = walk.symptom.name == "scores" and hasattr(layer, "dim")
    return walk.construction.made(node, layer, at) if told else None


def _replaced(walk: Walk, node: ast.expr, at: Statement) -> tuple[ast.expr, Statement] | None:
    """Where a layer was put into a model from outside, as a new head is: what it gives is no matter of its class."""
    func = node.func if isinstance(node, ast.Call) else None
    if not isinstance(func, ast.Attribute):
        return None
    for definition, moment in walk.world.setters(at.evaluate(func.value), func.attr, at):
        if definition.value is not None and not isinstance(moment.value("self"), type(at.evaluate(func.value))):
            return definition.value, moment
    return None
