"""The expression in the call of a loss that became one of its arguments."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from lossguard.facts.observation import is_tensor
from lossguard.tracing.links.statements import Statement


def argument_in(
    moment: Statement, name: str, arguments: Mapping[str, Any], standing: ast.expr | None = None
) -> ast.expr | None:
    """The expression in the call of the loss that became the argument `name`; the program stands in a call."""
    place = list(arguments).index(name) if name in arguments else None
    value = arguments.get(name)
    found: list[tuple[int, ast.expr]] = []
    for node in ast.walk(moment.statement):
        if not isinstance(node, ast.Call):
            continue
        given: list[ast.expr] = [word.value for word in node.keywords if word.arg == name]
        if place is not None and place < len(node.args):
            given.append(node.args[place])
        known = [moment.evaluate(argument) for argument in node.args]
        score = sum(any(item is other for other in arguments.values()) for item in known if is_tensor(item))
        # The layer that is called is known by its weight, where that is an argument too.
        weight = getattr(moment.evaluate(node.func), "weight", None)
        is_weight_of = weight is not None and arguments.get("weight") is weight
        for argument in given[:1]:
            exact = 4 if value is not None and (moment.evaluate(argument) is value or is_weight_of) else 0
            found.append((score + exact + _likeness(node, moment, standing), argument))
    found = [pair for pair in found if pair[0] > 0]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _likeness(node: ast.Call, moment: Statement, standing: ast.expr | None) -> int:
    """Whether a call of something of torch's is where the program stands, or reads like the call of a loss."""
    callee = moment.evaluate(node.func)
    home = getattr(callee, "__module__", None) or type(callee).__module__
    words = f"{ast.unparse(node.func)} {type(callee).__name__}".lower()
    reads = any(word in words for word in ("loss", "criterion", "entropy", "nll", "bce", "ctc", "embedding"))
    return int(reads or (node is standing and home.partition(".")[0] == "torch"))
