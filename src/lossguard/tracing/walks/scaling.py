"""Numbers that are brought into a range: shares of a whole, and quantities between 0 and 1."""

from __future__ import annotations

import ast
from typing import Any, Final

from lossguard.operations.roles import SUMS
from lossguard.operations.table import named
from lossguard.tracing.links.recognising import is_many
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.symptoms import effects
from lossguard.tracing.symptoms.symptom import numbers_of
from lossguard.tracing.walks.steps import written_out

#: By so much fewer numbers lie outside of a range after what should bring all of them into it.
_MANY: Final = 4
#: Calls that make one number of each row, or of all.
_REDUCING: Final = named("axes", "reduced")


def makes_shares(node: ast.expr, at: Statement) -> bool:
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


def is_scaled(node: ast.expr, operands: list[ast.expr], at: Statement) -> bool:
    """Whether quantities are divided by others, or most of them come to lie between 0 and 1 here: it should be all."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and is_many(at.evaluate(node.right)):
        return True
    before = [_share_outside(at.evaluate(operand)) for operand in operands]
    return bool(before) and max(before) > _MANY * _share_outside(at.evaluate(node)) > 0


def _share_outside(value: Any) -> float:
    """How many of the numbers of a value lie outside of 0 to 1, of all."""
    numbers = numbers_of(value) if is_many(value) else None
    return 0.0 if numbers is None or not numbers.size else float(((numbers < 0) | (numbers > 1)).mean())
