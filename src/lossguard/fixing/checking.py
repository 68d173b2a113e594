"""A fix is a claim: here its code is applied to the call at hand, the result is judged, and the loss is run.

The code of a fix is one expression over the call's arguments. It stands for one of three changes:

    target.long()                   the new value of the argument that the finding is about
    ignore_index=255                settings of the loss
    F.mse_loss(input, target)       another call: of another loss, or of this one; also nn.MSELoss()(...)
"""

from __future__ import annotations

import ast
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lossguard.contracts.call import Call
from lossguard.contracts.contract import Meaning, Role
from lossguard.contracts.loss import Loss, known_losses
from lossguard.facts.observation import is_tensor
from lossguard.facts.unwarned import unwarned
from lossguard.findings import Finding, Fix, Safety
from lossguard.fixing.running import changed, judged
from lossguard.fixing.steps import same_values
from lossguard.interruptions import let_through
from lossguard.records import dataclass, field, replace

#: A call with more elements than this is not run again.
_MOST_ELEMENTS: Final = 2**27
#: All fixes of one finding together take about this long at most; those left over are unchecked.
_TIME_LIMIT: Final = 2.0
#: What an expression of a fix may consist of.
_ALLOWED: Final = (
    *(ast.Expression, ast.Call, ast.keyword, ast.Name, ast.Load, ast.Attribute, ast.Constant, ast.Tuple, ast.List),
    *(ast.BinOp, ast.UnaryOp, ast.Compare, ast.operator, ast.unaryop, ast.cmpop, ast.Subscript, ast.Slice),
)


@dataclass(frozen=True, slots=True)
class Change:
    """What the code of a fix changes: values of arguments and settings, as expressions, and perhaps the loss."""

    values: Mapping[str, ast.expr] = field(default_factory=dict)
    #: The loss to call in place of this one; empty if it is the same.
    loss: str = ""


def read_change(code: str, argument: str) -> Change | None:
    """What `code` changes in a call, where it stands for a new value of `argument` if for nothing else."""
    try:
        around = ast.parse(f"call({code})", mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(around, ast.Call) or not all(isinstance(node, _ALLOWED) for node in ast.walk(around)):
        return None
    if around.keywords and not around.args and all(word.arg for word in around.keywords):
        return Change({str(word.arg): word.value for word in around.keywords})
    if len(around.args) != 1 or around.keywords:
        return None
    node = around.args[0]
    loss = _loss_called(node)
    if loss is None or not isinstance(node, ast.Call):
        return Change({argument: node})
    given = dict(zip(loss.parameters, node.args, strict=False))
    return Change({**given, **{str(word.arg): word.value for word in node.keywords}}, loss.name)


def _loss_called(node: ast.expr) -> Loss | None:
    """The loss that an expression calls: as a function of `F`, or as a new module of `nn`."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute) and ast.unparse(function.value) == "F":
        return known_losses().get(function.attr)
    if isinstance(function, ast.Call) and isinstance(function.func, ast.Attribute) and not function.args:
        name = function.func.attr
        return next((loss for loss in known_losses().values() if loss.module == name), None)
    return None


def checked(finding: Finding, findings: Sequence[Finding], call: Call) -> Finding:
    """`finding` with those of its fixes that hold good when they are tried on this call, the best first.

    What fails is left out. What cannot be tried, because it names something else than the arguments, keeps its words
    and loses its code. Where nothing can be run, as on an accelerator, all stay as they are: unchecked.
    """
    if not finding.fixes or not _may_try(call):
        return finding
    until = time.thread_time() + _TIME_LIMIT
    tried = [_tried(fix, finding, findings, call) if time.thread_time() < until else fix for fix in finding.fixes]
    return replace(finding, fixes=ordered([fix for fix in tried if fix is not None]))


def ordered(fixes: Sequence[Fix]) -> tuple[Fix, ...]:
    """The fixes, each once, the best first: safe before decisions before what is unchecked."""
    return tuple(sorted(dict.fromkeys(fixes), key=_rank))


def _rank(fix: Fix) -> int:
    if fix.checked:
        return 1 if fix.only_batch else 0 if fix.safety is Safety.LOSSLESS else 1
    return 3 if fix.code else 2


def _may_try(call: Call) -> bool:
    if "torch" not in sys.modules:
        return False  # there are no tensors, and a check must not load it
    tensors = [value for value in call.arguments.values() if is_tensor(value)]
    return all(tensor.device.type == "cpu" for tensor in tensors) and sum(t.numel() for t in tensors) <= _MOST_ELEMENTS


def _tried(fix: Fix, finding: Finding, findings: Sequence[Finding], call: Call) -> Fix | None:
    """`fix` with how it was checked; only its words where it cannot be tried; None if it fails."""
    if not fix.code:
        proven = _tried(replace(fix, code=fix.proof), finding, findings, call) if fix.proof else None
        # What needs another change as well has not been proven by itself.
        return fix if proven is None or proven.code != fix.proof else replace(fix, checked=proven.checked)
    change = read_change(fix.code, finding.argument)
    values = evaluated(change, call.arguments) if change is not None else None
    if change is None or values is None:
        return replace(fix, code="") if _names_others(fix.code, call) else None
    if fix.provided and not _holds(fix.provided, call):
        return None
    after = changed(call, values, change.loss)
    if after is not None and _is_sound(after, finding, findings):
        return replace(fix, checked=_said(call, after))
    return _together(fix, finding, findings, call)


def _together(fix: Fix, finding: Finding, findings: Sequence[Finding], call: Call) -> Fix | None:
    """`fix` joined with the first ones of all other faults of the call, where it fails without them."""
    members = [(finding, fix)]
    for other in findings:
        if other is not finding and other.is_error:
            members += [(other, one) for one in other.fixes if _can_be_joined(one, other, call)][:1]
    faults = sum(1 for other in findings if other is finding or other.is_error)
    if len(members) < max(2, faults) or not _can_be_joined(fix, finding, call):
        return None
    # Shapes first, as fixing does it: what is cast afterwards is already smaller.
    members.sort(key=lambda member: member[1].title.startswith("cast "))
    joined: dict[str, ast.expr] = {}
    for source, one in members:
        change = read_change(one.code, source.argument)
        joined |= {name: _Instead(joined).visit(node) for name, node in change.values.items()} if change else {}
    values = evaluated(Change(joined), call.arguments)
    after = changed(call, values) if values is not None else None
    if after is None or not _is_sound(after, finding, findings):
        return None
    texts = {name: ast.unparse(node) for name, node in joined.items()}
    alone = texts.keys() == {finding.argument}
    return replace(
        fix,
        code=texts[finding.argument] if alone else ", ".join(f"{name}={text}" for name, text in texts.items()),
        title=", ".join(dict.fromkeys(one.title for _, one in members)),
        safety=max((one.safety for _, one in members), key=list(Safety).index),
        reason="; ".join(dict.fromkeys(filter(None, (_reason(one) for _, one in members)))),
        checked=_said(call, after),
        step=None,
    )


def _reason(fix: Fix) -> str:
    """Why a fix of several does what it should; what stood in its way alone is gone with the others."""
    return fix.reason if fix.safety is Safety.LOSSLESS or not fix.title.startswith("cast ") else ""


class _Instead(ast.NodeTransformer):
    """Puts what an argument has become in the place of its name."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The new value of an argument, where it has one."""
        return self._values.get(node.id, node)


def _can_be_joined(fix: Fix, finding: Finding, call: Call) -> bool:
    """Whether a fix changes arguments of this call and, if it casts, keeps every number."""
    change = read_change(fix.code, finding.argument) if fix.code else None
    if change is None or change.loss not in {"", call.loss.name}:
        return False
    values = evaluated(change, call.arguments)
    if values is None or not fix.title.startswith("cast "):
        return values is not None
    return all(is_tensor(value) and same_values(call.arguments.get(name), value) for name, value in values.items())


def _names_others(code: str, call: Call) -> bool:
    """Whether the code names something that is not there in the call, so that nothing can be said of it here."""
    try:
        tree = ast.parse(f"call({code})", mode="eval")
    except SyntaxError:
        return True
    known = {*call.arguments, "torch", "F", "nn", "call", "int"}
    return any(isinstance(node, ast.Name) and node.id not in known for node in ast.walk(tree))


def _holds(condition: str, call: Call) -> bool:
    """Whether an expression over the call's arguments is true."""
    values = evaluated(Change({"condition": ast.parse(condition, mode="eval").body}), call.arguments)
    return values is not None and bool(values["condition"])


def evaluated(change: Change, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """The new values; None where an expression cannot be evaluated over the call's arguments."""
    import torch

    names = {
        "__name__": __name__,
        "__builtins__": {"int": int},
        "torch": torch,
        "F": torch.nn.functional,
        **arguments,
    }
    values: dict[str, Any] = {}
    try:
        with torch.no_grad(), unwarned():
            for name, node in change.values.items():
                compiled = compile(ast.fix_missing_locations(ast.Expression(node)), "<fix>", "eval")
                values[name] = eval(compiled, names)  # noqa: S307 - made by a rule, of allowed nodes alone
    except Exception as error:  # noqa: BLE001 - a fix that cannot be evaluated is no fix
        let_through(error)
        return None
    return values


def _is_sound(after: Call, finding: Finding, findings: Sequence[Finding]) -> bool:
    """Whether torch takes the call, the loss is finite, this fault is gone and no other has come."""
    left, observation = judged(after, deep=True)
    outcome = observation.outcome
    before = {(other.code, other.argument) for other in findings if other is not finding}
    return (
        outcome is not None
        and outcome.raised is None
        and not outcome.nan
        and not outcome.infinite
        and not any(other.is_error for other in left)
        and {(other.code, other.argument) for other in left} <= before
    )


def _said(call: Call, after: Call) -> str:
    """How it was checked: `the loss takes all 64 labels of this batch`."""
    same = after.loss.name == call.loss.name
    who = after.loss.name if not same or not call.contract.is_loss else "the loss"
    before, kept = _labels(call), _labels(after)
    count = _size(kept)
    if count is None or count < 2:
        return f"{who} takes this call"
    if same and is_tensor(before) and is_tensor(kept) and before.ndim == kept.ndim and count < before.numel():
        return f"{who} takes the {count:,} others of this batch"
    return f"{who} takes all {count:,} {_noun(after)} of this batch"


def _labels(call: Call) -> Any:
    for argument in call.contract.readings[0].arguments:
        if argument.role in {Role.TARGET, Role.INDEX}:
            return call.arguments.get(argument.name)
    return None


def _size(value: Any) -> int | None:
    return value.numel() if is_tensor(value) else len(value) if hasattr(value, "__len__") else None


def _noun(call: Call) -> str:
    meanings = {argument.meaning for reading in call.contract.readings for argument in reading.arguments}
    if meanings & {Meaning.CLASS_INDICES, Meaning.LABEL_SEQUENCES}:
        return "labels"
    return "indices" if Meaning.INDICES in meanings else "values"
