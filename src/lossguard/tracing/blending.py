"""Labels that are mixed with other numbers, as in `a * y + (1 - a) * y[order]`."""

from __future__ import annotations

import ast
from typing import Any

from lossguard.tracing.evaluating import UNKNOWN
from lossguard.tracing.moments import Moment
from lossguard.tracing.symptoms import Judgement, Symptom


def summands(node: ast.expr) -> list[ast.expr]:
    """What a sum, a difference or a product is made of, those within it written out; constants are left out."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
        return [*summands(node.left), *summands(node.right)]
    return [] if isinstance(node, ast.Constant) else [node]


def taken_from(node: ast.expr, at: Moment, symptom: Symptom) -> Any:
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
