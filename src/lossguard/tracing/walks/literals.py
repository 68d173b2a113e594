"""Back through what is written out: constants, tuples, dicts, comprehensions, sums and conditions."""

from __future__ import annotations

import ast

from lossguard.tracing.links.comprehensions import BoundStatement
from lossguard.tracing.links.recognising import branches_of, of_joined
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.reaching import KEYS, Path
from lossguard.tracing.symptoms import effects
from lossguard.tracing.symptoms.symptom import MISSING, Judgement, described
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.projecting import project
from lossguard.tracing.walks.entering import one_of
from lossguard.tracing.walks.judging import judge_expression, judged_whole
from lossguard.tracing.walks.operating import operation
from lossguard.tracing.walks.sequences import is_following
from lossguard.tracing.walks.steps import Chain
from lossguard.tracing.walks.walk import Walk


def of_constant(walk: Walk, node: ast.Constant, at: Statement, _: Path) -> Chain:
    """A constant is the end of the way."""
    return [walk.culprit(node, at)]


def of_starred(walk: Walk, node: ast.Starred | ast.Await | ast.NamedExpr, at: Statement, path: Path) -> Chain:
    """What only stands around another expression."""
    return walk.back(node.value, at, path)


def of_ifexp(walk: Walk, node: ast.IfExp, at: Statement, path: Path) -> Chain:
    """One of two, the bad one; where all are bad together, what made the condition so is not known."""
    if walk.symptom.name == "ignored":
        return None
    found = branches_of(node, at)
    left_out = [part for part in (node.body, node.orelse) if part not in found]
    fitting = [part for part in left_out if len(found) == 1 and _would_fit(walk, part, found[0], at, path)]
    if fitting:
        return [walk.culprit(node, at, before=described(at.evaluate(fitting[0])))]
    if any(is_following(walk.symptom.name, part) for part in left_out):
        return [walk.culprit(node, at)]  # what should have followed is there, and was not chosen
    return walk.back(found[0], at, path) if len(found) == 1 else one_of(walk, [(part, at) for part in found], path)


def _would_fit(walk: Walk, other: ast.expr, taken: ast.expr, at: Statement, path: Path) -> bool:
    """Whether the other of two branches gives the same in a shape that fits: `scores.squeeze(1) if one else scores`."""
    same = ast.unparse(taken) in [ast.unparse(part) for part in ast.walk(other) if isinstance(part, ast.expr)]
    return walk.symptom.about == "shape" and same and judged_whole(walk.symptom, other, at, path) is Judgement.GOOD


def of_tuple(walk: Walk, node: ast.Tuple | ast.List, at: Statement, path: Path) -> Chain:
    """An element of a tuple or a list, or all of them put together."""
    elements = node.elts
    if not elements:
        return None
    if path and isinstance(path[0], str):
        # Tables that are put together: the column is that of the one that has it.
        having = [part for part in elements if project(at.evaluate(part), path[:1]) is not UNKNOWN]
        return walk.back(having[0], at, path) if len(having) == 1 else operation(walk, node, elements, at, path)
    countable = not any(isinstance(element, ast.Starred) for element in elements)
    if path and countable and isinstance(path[0], int) and -len(elements) <= path[0] < len(elements):
        return walk.back(elements[path[0]], at, path[1:])
    if path and countable and isinstance(path[0], int) and node not in at.scope.source.parents:
        return None  # what was given for `*args`, and this was given by its name
    taken = _bad_of(walk, elements, at, path) if path and walk.symptom.about in {"values", "word"} else elements
    if walk.symptom.about == "word" and len(taken) == 1:
        return walk.back(taken[0], at, path[1:])
    return operation(walk, node, taken, at, path[1:])


def _bad_of(walk: Walk, parts: list[ast.expr], at: Statement, path: Path) -> list[ast.expr]:
    """Of the parts of a container those that are bad, if any is: which one it is cannot be told, but one of them."""
    bad = [part for part in parts if judged_whole(walk.symptom, part, at, path[1:]) is Judgement.BAD]
    return bad or parts


def of_dict(walk: Walk, node: ast.Dict, at: Statement, path: Path) -> Chain:
    """An entry of a dict, or all of them."""
    for key, value in zip(node.keys, node.values, strict=True):
        if path and key is not None and at.evaluate(key) == path[0]:
            return walk.back(value, at, path[1:])
    if not node.values:
        return None
    if path[:1] == (KEYS,):
        return operation(walk, node, [key for key in node.keys if key is not None], at, path[1:])
    spread = [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
    # Of what is spread out, the last that has the entry gives it.
    having = [value for value in spread if len(spread) == 1 or project(at.evaluate(value), path[:1]) is not UNKNOWN]
    if path and having:
        return walk.back(having[-1], at, path)
    asked = path[0] if path and isinstance(path[0], list) else path[:1]
    if any(isinstance(key, str) for key in asked):
        # Entries by their names: what stands under other names is another matter.
        named = [(at.evaluate(key), value) for key, value in zip(node.keys, node.values, strict=True) if key]
        own = [value for key, value in named if key is UNKNOWN or key in asked]
        return operation(walk, node, own, at, path[1:]) if own else None
    return operation(walk, node, _bad_of(walk, node.values, at, path), at, path[1:])


def of_listcomp(walk: Walk, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, at: Statement, path: Path) -> Chain:
    """What a comprehension makes of each element; it is as long as what it runs over."""
    items = node.generators[0].iter
    if walk.symptom.name == "length":
        plain = isinstance(items, ast.Name | ast.Attribute) and not node.generators[0].ifs
        return walk.back(items, at) if plain else [walk.culprit(node, at)]
    turn = BoundStatement.of(node, at, path[:1], walk.is_bad)
    is_long = walk.symptom.name == "long" and not walk.is_bad(turn.evaluate(node.elt))
    if (walk.symptom.name == "rows" or is_long) and not path:
        value, judged = judge_expression(walk.symptom, items, at, ())
        return [walk.culprit(node, at, before=described(value))] if judged is Judgement.GOOD else walk.back(items, at)
    return walk.back(node.elt, turn, path[1:])


def of_dictcomp(walk: Walk, node: ast.DictComp, at: Statement, path: Path) -> Chain:
    """The keys or the values that a comprehension makes."""
    made = node.key if path[:1] == (KEYS,) else node.value
    return walk.back(made, BoundStatement.of(node, at, path[:1], walk.is_bad), path[1:])


def of_binop(walk: Walk, node: ast.BinOp, at: Statement, path: Path) -> Chain:
    """A sum, a product or another operation of two."""
    part, path = of_joined(node, path, at)
    if part is not node:
        return walk.back(part, at, path)
    return operation(walk, node, [node.left, node.right], at, path)


def of_unaryop(walk: Walk, node: ast.UnaryOp, at: Statement, path: Path) -> Chain:
    """A sign, or another operation of one."""
    if isinstance(node.operand, ast.Constant):
        return [walk.culprit(node, at)]
    return operation(walk, node, [node.operand], at, path)


def of_compare(walk: Walk, node: ast.Compare, at: Statement, path: Path) -> Chain:
    """A comparison, which makes truth values."""
    if effects.makes_anew(node, walk.symptom.name, walk.symptom.about):
        # True and False are neither floating nor missing: then the way back has gone wrong.
        strange = walk.symptom.name in {*MISSING, "fractional"} or "float" in walk.symptom.name
        return None if strange else [walk.culprit(node, at)]
    return operation(walk, node, [node.left, *node.comparators], at, path)
