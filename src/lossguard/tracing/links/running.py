"""Running an expression of the user's once more, in a twin, where what it gave is not known in any other way.

It counts only if it gives the same again: what is random, or goes on each time that it is asked, is not known.
"""

from __future__ import annotations

import ast
import copy
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Final

from lossguard.tracing.evidence.replay import run_plainly
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.values.evaluating import ABSENT, UNKNOWN

#: Seconds that one expression may take, and all of them in one look.
_ONCE: Final = 0.5
_TOGETHER: Final = 1.5
#: What may be worth it: all else is known, or is made of what is.
_RUNNING: Final = ast.Call | ast.ListComp | ast.GeneratorExp | ast.DictComp | ast.BinOp | ast.Subscript


@dataclass(slots=True)
class Allowance:
    """What may still be run in one look, and what was."""

    left: float = _TOGETHER
    done: dict[tuple[int, int, int], tuple[Any, ...]] = field(default_factory=dict)


_allowance: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


@contextmanager
def running(allowance: Allowance) -> Iterator[None]:
    """Let expressions be run for as long as it lasts."""
    token = _allowance.set(allowance)
    try:
        yield
    finally:
        _allowance.reset(token)


def value_of(node: ast.expr, at: Statement) -> Any:
    """The value of an expression: as it is known, or else as it comes out when it is run once more."""
    value, allowance = at.evaluate(node), _allowance.get()
    if value is not UNKNOWN or allowance is None or not isinstance(node, _RUNNING):
        return value
    moment = getattr(at, "activation", at)
    key = (id(node), id(moment), getattr(at, "number", 0))
    if key not in allowance.done:
        allowance.done[key] = (_run(node, at, allowance), moment)  # which is kept, or another gets its number
    return allowance.done[key][0]


def _run(node: ast.expr, at: Statement, allowance: Allowance) -> Any:
    names = _names_in(node, at) if allowance.left > 0 else None
    if names is None:
        return UNKNOWN
    code = compile(ast.fix_missing_locations(ast.Expression(copy.deepcopy(node))), "<lossguard>", "eval")
    start, states = time.monotonic(), _random_states()
    found = [
        run_plainly(lambda: eval(code, dict(names)), start + _ONCE)  # noqa: S307 - the user's own expression, in a twin
        for _ in range(2)
    ]
    allowance.left -= time.monotonic() - start
    if any(each.failure for each in found) or states != _random_states() or not _same(found[0].result, found[1].result):
        return UNKNOWN
    return found[0].result


def _random_states() -> list[Any]:
    """How far the generators are that all of a program shares: what has moved one of them was random."""
    states: list[Any] = [random.getstate()]
    states += [repr(sys.modules["numpy"].random.get_state(legacy=False))] if "numpy" in sys.modules else []
    states += [sys.modules["torch"].get_rng_state().numpy().tobytes()] if "torch" in sys.modules else []
    return states


def _names_in(node: ast.expr, at: Statement) -> dict[str, Any] | None:
    """The values of the names in an expression; None if one is not known, or an attribute was another by then."""
    inner = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    own = {each.id for each in inner if isinstance(each.ctx, ast.Store)}
    own |= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    found = {each.id: at.value(each.id) for each in inner if each.id not in own}
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id in found:
            then = at.value(f"{each.value.id}.{each.attr}")
            if then is not ABSENT and then is not getattr(found[each.value.id], each.attr, UNKNOWN):
                return None
    return None if any(value is UNKNOWN for value in found.values()) else found


def _same(one: Any, other: Any, depth: int = 0) -> bool:
    """Whether two results are equal, number by number."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and depth < 3 and all(map(_same, one, other, [depth + 1] * len(one)))
    if isinstance(one, dict):
        return list(one) == list(other) and _same(list(one.values()), list(other.values()), depth)
    if not hasattr(one, "dtype") or not hasattr(one, "shape"):
        return isinstance(one, bool | int | float | str | PurePath | None) and one == other
    import numpy as np

    ours, theirs = (np.asarray(each.detach() if hasattr(each, "detach") else each) for each in (one, other))
    return ours.dtype.kind in "biuf" and bool(np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f"))
