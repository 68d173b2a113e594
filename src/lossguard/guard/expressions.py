"""The expression at which an error was raised: methods of tensors and `x[i]` have no frame of their own on the CPU.

The instruction that failed has columns, and these name an expression in the source. Its operands are worked out from
what is alive in the frame; nothing of the user's is run for it.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lossguard.contracts.call import Call, UnknownLoss, read_call
from lossguard.contracts.loss import known_losses
from lossguard.facts.observation import is_tensor
from lossguard.guard.calls.sites import is_inner
from lossguard.paths import is_users
from lossguard.tracing.program.sources import expression_at
from lossguard.tracing.values.evaluating import ABSENT, UNKNOWN, evaluate

_MISSING: Final = object()
#: No table that stands in for one that is gone is longer.
_LARGEST: Final = 2**31


@dataclass(frozen=True, slots=True)
class FailedCall:
    """An index operation that raised, with the expression of each argument."""

    call: Call
    frame: types.FrameType
    nodes: Mapping[str, ast.expr]


@dataclass(frozen=True, slots=True)
class _Alive:
    """The names of a frame as they are."""

    frame: types.FrameType

    def value(self, name: str) -> Any:
        """What a name holds; attributes and items are left to their objects."""
        if "." in name or "[" in name:
            return ABSENT
        for held in (self.frame.f_locals, self.frame.f_globals, vars(builtins)):
            found = held.get(name, _MISSING)
            if found is not _MISSING:
                return found
        return UNKNOWN

    def called(self, _node: ast.Call, _function: Any) -> Any:
        """No function of the user's is run."""
        return UNKNOWN


def failed_call(error: BaseException) -> FailedCall | None:
    """The index operation that raised in the innermost frame of a traceback, which must be the user's."""
    found, trace = None, error.__traceback__
    while trace is not None:
        found = trace if not is_inner(trace.tb_frame.f_code) else found
        trace = trace.tb_next
    if found is None or not is_users(found.tb_frame.f_code.co_filename):
        return None
    node = expression_at(found.tb_frame.f_code, found.tb_lasti)
    names = _Alive(found.tb_frame)
    if isinstance(node, ast.Subscript):
        return _of_item(node, names)
    return _of_method(node, names, error) if isinstance(node, ast.Call) else None


def _of_item(node: ast.Subscript, names: _Alive) -> FailedCall | None:
    """`x[i]`, read or written."""
    base, key = evaluate(node.value, names), evaluate(node.slice, names)
    if not is_tensor(base) or key is UNKNOWN:
        return None
    stored = isinstance(node.ctx, ast.Store)
    word = "indices" if stored else "index"
    nodes: dict[str, ast.expr] = {"input": node.value, word: node.slice}
    if isinstance(node.slice, ast.Tuple):
        nodes.update({f"{word}[{number}]": part for number, part in enumerate(node.slice.elts)})
    given = (base, key, None) if stored else (base, key)
    return _read("index_put" if stored else "getitem", given, {}, names.frame, nodes)


def _of_method(node: ast.Call, names: _Alive, error: BaseException) -> FailedCall | None:
    """`x.gather(1, index)` and its kin, also those that write in place."""
    func = node.func
    known = known_losses().get(func.attr.removesuffix("_")) if isinstance(func, ast.Attribute) else None
    if known is None or not isinstance(func, ast.Attribute):
        return None
    nodes = dict(zip(known.parameters, [func.value, *node.args], strict=False))
    nodes.update({word.arg: word.value for word in node.keywords if word.arg is not None})
    values = {name: evaluate(each, names) for name, each in nodes.items()}
    if values[known.parameters[0]] is UNKNOWN:
        values[known.parameters[0]] = _stand_in(values, error)
    if any(value is UNKNOWN for value in values.values()) or not is_tensor(values[known.parameters[0]]):
        return None
    return _read(known.name, (), values, names.frame, nodes)


def _stand_in(values: Mapping[str, Any], error: BaseException) -> Any:
    """A table of the size that the error tells, for one that is gone: the result of a model in `net(x).gather(1, a)`.

    Along all other axes it is as long as the index. Where the error is about something else, it is large enough.
    """
    import torch

    from lossguard.explain.explaining import explain

    index, axis = values.get("index"), values.get("dim", 0)
    findings = explain(f"{type(error).__name__}: {error}").findings
    if index is None or not is_tensor(index) or not index.numel() or not isinstance(axis, int) or not findings:
        return UNKNOWN
    # Numbers of a wrong dtype may be anything, also none at all.
    largest = index.double().nan_to_num(0, 0, 0).max().clamp(0, _LARGEST)
    size = findings[0].evidence.get("size", None if "out of" in str(error) else int(largest) + 1)
    if not isinstance(size, int) or size < 1:
        return UNKNOWN
    shape = [*index.shape]
    if not -len(shape) <= axis < len(shape):
        return UNKNOWN
    shape[axis] = size
    return torch.zeros(()).expand(shape)


def _read(
    name: str, given: tuple[Any, ...], words: dict[str, Any], frame: types.FrameType, nodes: Mapping[str, ast.expr]
) -> FailedCall | None:
    try:
        return FailedCall(read_call(name, given, words), frame, nodes)
    except (UnknownLoss, TypeError):
        return None
