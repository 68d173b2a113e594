"""Labels that are mixed with other numbers, as in `a * y + (1 - a) * y[order]`."""

from __future__ import annotations

import ast
from typing import Any

from lossguard.tracing.links.recognising import is_many, reads_like_label
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.symptoms.symptom import MISSING, Judgement, Symptom, shape_of
from lossguard.tracing.values.evaluating import UNKNOWN


def summands(node: ast.expr) -> list[ast.expr]:
    """What a sum, a difference or a product is made of, those within it written out; constants are left out."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
        return [*summands(node.left), *summands(node.right)]
    return [] if isinstance(node, ast.Constant) else [node]


def taken_from(node: ast.expr, at: Statement, symptom: Symptom) -> Any:
    """The array in which an expression looks up items, not known which; UNKNOWN unless all of the array is good."""
    if isinstance(node, ast.Name):
        found = at.definitions(node.id)
        definition, at = found[0] if len(found) == 1 else (None, at)
        written = definition.value if definition is not None and not definition.partial else None
        for place in definition.path if definition is not None else ():
            countable = isinstance(written, ast.Tuple) and isinstance(place, int) and place < len(written.elts)
            written = written.elts[place] if isinstance(written, ast.Tuple) and countable else None
        return taken_from(written, at, symptom) if isinstance(written, ast.Subscript) else UNKNOWN
    if not isinstance(node, ast.Subscript) or symptom.whole or symptom.about not in {"dtype", "values"}:
        return UNKNOWN
    base = at.evaluate(node.value)
    is_array = hasattr(base, "dtype") and not hasattr(base, "columns")
    return base if is_array and symptom.judge(base) is Judgement.GOOD else UNKNOWN


def is_mixed(bad: list[tuple[ast.expr, Any]], good: list[tuple[ast.expr, Any]], unknown: list[ast.expr]) -> bool:
    """Whether the label is the operand that is good, and something bad was mixed into it here."""
    if any(isinstance(operand, ast.Constant) for operand, _ in bad):
        return bool([operand for operand, _ in good if not isinstance(operand, ast.Constant)] or unknown)
    others = [(operand, value) for operand, value in good if not isinstance(operand, ast.Constant)]
    if any(is_many(value) for _, value in others):
        return True
    if any(reads_like_label(operand) for operand, _ in bad):
        return False
    return bool(others) or bool(unknown)


def is_statistic(
    node: ast.expr, operand: ast.expr, good: list[tuple[ast.expr, Any]], at: Statement, symptom: Symptom
) -> bool:
    """Whether an operand is spread over another one that has the size of the result and is good, as a mean is."""
    if not isinstance(node, ast.BinOp) or symptom.about != "values" or symptom.name in MISSING:
        return False
    size = shape_of(at.evaluate(node))
    whole = any(shape_of(at.evaluate(other)) == size for other, _ in good)
    return bool(size) and whole and len(shape_of(at.evaluate(operand))) < len(size)
