"""Back through a computation: the fault is older if an operand is bad, and is here if none is."""

from __future__ import annotations

import ast
import functools
from dataclasses import replace
from typing import Any, Final, TypeGuard

from lossguard.contracts.dtypes import is_floating
from lossguard.operations.roles import CONSTRUCTING, SUMS
from lossguard.operations.table import named
from lossguard.tracing.links.classes import code_of, is_opaque, is_users_object
from lossguard.tracing.links.comprehensions import innermost
from lossguard.tracing.links.recognising import implied_operand, is_filling, is_many, is_text_source, reads_like_label
from lossguard.tracing.links.recorded import RecordedStatement
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import Definition, Path, dotted
from lossguard.tracing.program.sources import own_nodes
from lossguard.tracing.symptoms import effects
from lossguard.tracing.symptoms.symptom import MISSING, Judgement, Symptom, described, dtype_of, numbers_of
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.layers import has_lost_weights, is_pure_layer
from lossguard.tracing.walks.blending import is_mixed, is_statistic, summands
from lossguard.tracing.walks.judging import entry_in, is_output, judge_expression, path_into
from lossguard.tracing.walks.sequences import chosen_at, chosen_maker, left_out, sequence
from lossguard.tracing.walks.steps import (
    Chain,
    Step,
    agreed,
    given_to,
    is_birth,
    is_cast,
    is_only_handed_on,
    makes_tensor,
    used_alone,
    written_out,
)
from lossguard.tracing.walks.walk import Walk

#: So many names one after the other are looked through.
_NAMES: Final = 4
#: By so much fewer numbers lie outside of a range after what should bring all of them into it.
_MANY: Final = 4
#: Calls that make one number of each row, or of all.
_REDUCING: Final = named("axes", "reduced")
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
    made_here = walk.symptom.name in _BEYOND and is_output(walk.symptom, node, callee)
    made_here = made_here or (walk.symptom.name == "no distribution" and _makes_shares(node, at))
    made_here = made_here or (walk.symptom.name == "outside 0 to 1" and _is_scaled(node, operands, at))
    if made_here or effects.makes_anew(node, walk.symptom.name, walk.symptom.about) or _is_cast(walk, node, at):
        return [walk.culprit(node, at)]
    if walk.symptom.name in _BEYOND | {"probabilities"} and type(callee).__name__ == "Sequential":
        return sequence(walk, node, callee, UNKNOWN, at)
    judged = [
        (operand, *judge_expression(walk.symptom, operand, at, path_into(walk.symptom, node, operand, at, path)))
        for operand in operands
    ]
    bad = [(operand, value) for operand, value, found in judged if found is Judgement.BAD]
    good = [(operand, value) for operand, value, found in judged if found is Judgement.GOOD]
    unknown = [operand for operand, _, found in judged if found is Judgement.UNKNOWN]
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
    if bad and (walk.symptom.name in MISSING or not is_mixed(bad, good, unknown)):
        chain = walk.back(bad[0][0], at, path)
        # A constant may be meant for anything; what it was filled in for is said here.
        return [walk.culprit(node, at)] if chain and is_filling(node, chain[0].culprit) else chain
    if type(callee).__name__ == "Sequential":
        return sequence(walk, node, callee, judged[-1][1] if judged else UNKNOWN, at)
    if bad or not unknown:
        before = given_to(node, good, at.evaluate(node), walk.symptom)
        own = walk.culprit(node, at, before=before)
        site = _told_at(walk, node, callee, operands, at) or _told_of_column(walk, node, at, path)
        here = [own] if site is None else _chosen_there(walk, *site, before=before, is_good=own.is_good)
        older = None if bad else _cast_before(walk, node, good, at, path) or _odd_one(walk, judged, at)
        return older or here
    implied = implied_operand(node, unknown, at, walk.symptom.values)
    if implied is not UNKNOWN:
        return walk.back(unknown[0], at, path) if walk.is_bad(implied) else [walk.culprit(node, at)]
    return _blended(walk, node, at) or _by_source(walk, node, unknown, at, path) or _by_names(walk, node, at)


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


def _told_at(
    walk: Walk, node: ast.expr, callee: Any, operands: list[ast.expr], at: Statement
) -> tuple[ast.expr, Statement] | None:
    """Where something was made that does what it was told there: `Linear(8, 3)`, `Normalize(0.5, 0.5)`, a `partial`."""
    if walk.symptom.name == "shape" and not walk.symptom.unfinished and is_pure_layer(callee):
        return walk.construction.made(node, callee, at)
    if isinstance(callee, functools.partial):
        # A function of the user's that nothing else calls may be wrong itself.
        alone = len([call for call in at.calls if call.code is code_of(callee.func)]) == 1
        site = None if alone else walk.construction.made(node, callee, at)
        return None if site is None or _is_used_again(*site) else site
    # Numbers of another range are sound by themselves, and so is the class; labels that are too large are not.
    own = [part for part in operands if isinstance(part, ast.Attribute) and dotted(part).startswith("self.")]
    for part in own if walk.symptom.name == "outside 0 to 1" and len(own) < len(operands) else ():
        thing = at.evaluate(part.value)
        for definition, moment in walk.construction.assignments(thing, part.attr) if is_users_object(thing) else ():
            kept = isinstance(definition.value, ast.Name | ast.Tuple) or makes_tensor(definition.value)
            names = [name.id for name in ast.walk(definition.value or ast.Pass()) if isinstance(name, ast.Name)]
            constructed = getattr(moment.scope.node, "name", "") in CONSTRUCTING
            if kept and constructed and any(map(moment.argument, names)):
                return walk.construction.site(thing)
    return None


def _chosen_there(walk: Walk, node: ast.expr, at: Statement, *, before: str, is_good: bool) -> list[Step]:
    """Where an object was made that was told what to do there; or where it was said by a name what is made."""
    chosen = chosen_at(walk, node, at) if isinstance(node, ast.Call) else None
    return chosen or [replace(walk.culprit(node, at, before=before), is_good=is_good)]


def _is_used_again(call: ast.expr, at: Statement) -> bool:
    """Whether what a line makes is used in several places: it is right for the others."""
    written = at.statement
    name = dotted(written.targets[0]) if isinstance(written, ast.Assign) and written.value is call else ""
    used = [part for part in ast.walk(at.scope.source.tree) if isinstance(part, ast.Attribute) and dotted(part) == name]
    return len([part for part in used if isinstance(part.ctx, ast.Load)]) > 1


def _told_of_column(walk: Walk, node: ast.expr, at: Statement, path: Path) -> tuple[ast.expr, Statement] | None:
    """Where an object of a library was made whose method gave a table, if it was told of the bad column there."""
    owner = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    thing = at.evaluate(owner) if owner is not None and path and isinstance(path[0], str) else UNKNOWN
    site = walk.construction.born(thing) if thing is not UNKNOWN and is_opaque(type(thing)) else None
    words = [part.value for part in ast.walk(site[0]) if isinstance(part, ast.Constant)] if site is not None else []
    return site if path and path[0] in words else None


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
            if not chain or not (is_cast(chain[0]) or is_birth(chain[0])):
                return None
            # Of whole numbers that are cut out of data, the data may be as it is.
            cut = _is_cut(operand) or chain[0].after not in {"", described(value)}
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


def _odd_one(walk: Walk, judged: list[tuple[ast.expr, Any, Judgement]], at: Statement) -> Chain:
    """The line that made one of several operands unlike the others, where they were combined each with each."""
    among = walk.symptom.among
    found = among([value for _, value, _ in judged]) if among is not None else None
    chain = walk.back_for(found[1], judged[found[0]][0], at) if found is not None else None
    return chain if chain and chain[0].before else None


def _is_cut(node: ast.expr) -> bool:
    """Whether an expression takes some elements or rows of something, and no column or entry by its name."""
    keys = [part.slice for part in ast.walk(node) if isinstance(part, ast.Subscript)]
    return not all(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in keys)


def _makes_shares(node: ast.expr, at: Statement) -> bool:
    """Whether it divides by sums or is a softmax, of which rows that sum to 1 should have come, whatever came in."""
    if effects.effect_of(node, "no distribution") is effects.MAKES:
        return True
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
        return False
    divisor, _ = written_out(node.right, at)
    calls = [part for part in ast.walk(divisor) if isinstance(part, ast.Call)]
    # By another number of each row, as the largest, it should have been by their sum.
    by_row = [part for part in calls if called_name(part) in _REDUCING and (part.args or part.keywords)]
    return bool(by_row) or any(called_name(part) in SUMS for part in calls)


def _is_scaled(node: ast.expr, operands: list[ast.expr], at: Statement) -> bool:
    """Whether quantities are divided by others, or most of them come to lie between 0 and 1 here: it should be all."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and is_many(at.evaluate(node.right)):
        return True
    before = [_share_outside(at.evaluate(operand)) for operand in operands]
    return bool(before) and max(before) > _MANY * _share_outside(at.evaluate(node)) > 0


def _share_outside(value: Any) -> float:
    """How many of the numbers of a value lie outside of 0 to 1, of all."""
    numbers = numbers_of(value) if is_many(value) else None
    return 0.0 if numbers is None or not numbers.size else float(((numbers < 0) | (numbers > 1)).mean())


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
    read = [part for part in ast.walk(node) if isinstance(getattr(part, "ctx", None), ast.Load)]
    names, own = [part for part in read if isinstance(part, ast.Name)], [part for part in read if _is_of_self(part)]
    judged = [_judged_by_names(walk, part, at, _NAMES) for part in names]
    judged += [judge_expression(walk.symptom, part, at, ())[1] for part in own]
    values = [at.evaluate(part) for part in [*names, *own]]
    if any(map(is_many, values)):
        # A plain number by which many are multiplied is none of them.
        judged = [
            Judgement.NEITHER if isinstance(value, int | float) else found
            for value, found in zip(values, judged, strict=True)
        ]
    sure = Judgement.GOOD in judged and not {Judgement.BAD, Judgement.UNKNOWN} & {*judged}
    good = [part for part, found in zip([*names, *own], judged, strict=True) if found is Judgement.GOOD]
    before = described(at.evaluate(good[0])) if len(good) == 1 else ""
    return [walk.culprit(node, at, before=before)] if sure and node.lineno == node.end_lineno else None


def _is_of_self(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _judged_by_names(walk: Walk, node: ast.Name, at: Statement, left: int) -> Judgement:
    """How a name is judged; if it held an object of a library that is no data, by what that was made of."""
    value, judged = judge_expression(walk.symptom, node, at, ())
    kinds = at.kinds(node.id) if value is UNKNOWN else {type(value)}
    found = at.definitions(node.id)
    written = found[0][0].value if len(found) == 1 and not found[0][0].path else None
    if judged is not Judgement.UNKNOWN or written is None or not left or not kinds or not all(map(is_opaque, kinds)):
        return judged
    inner = [part for part in ast.walk(written) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)]
    parts = {_judged_by_names(walk, part, found[0][1], left - 1) for part in inner}
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
    if effect in {effects.MAKES, effects.CREATES} or is_text_source(node):
        site = _replaced(walk, node, at) or _told_axis(walk, node, callee, at) or left_out(walk, at) if layer else None
        chosen = chosen_maker(walk, callee) if layer and site is None else None
        return chosen or [walk.culprit(*site or (node, at))]
    if effect is effects.KEEPS and unknown:
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
