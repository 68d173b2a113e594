"""The lasting fix, at the line where the fault came in: the whole line as it should be. Shown, never applied.

Each kind of fault has its rows in a table, the nearest to what the user wrote first. A proposal counts only if the line
is Python, names nothing that is not there, and holds good: worked out with the values at hand it has the symptom no
more, or it does to the labels what a checked fix of the call does to them, and to nothing else.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any, Final

from lossguard.findings import Finding, Fix, Safety, Scope
from lossguard.records import dataclass
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.sources import Source, source_of
from lossguard.tracing.remedies.also_changed import changes_more
from lossguard.tracing.remedies.rewriting import Edit, instead_of, names_bound, rewritten, text_of, with_known_names
from lossguard.tracing.symptoms.effects import dtype_named, names_dtype
from lossguard.tracing.symptoms.symptom import Judgement, Symptom, numbers_of
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.walks.steps import Step

_WHOLE: Final = ("floating", "dtype int32", "dtype int16", "dtype int8", "dtype uint8", "dtype bool")
#: What a symptom is called in the table, by what its rule looks for as well, where it has not its own name there.
_KINDS: Final = {
    **{(name, seek): "whole" for name in _WHOLE for seek in ("floating", "dtype")},
    ("outside", "class numbers"): "from one",
    ("probabilities", "plain probabilities"): "plain probabilities",
}
#: The kinds that are faults of labels, beside which features may go the same way.
_OF_LABELS: Final = frozenset({"whole", "column", "one-hot", "from one"})
_OPERATORS: Final[dict[type, str]] = {ast.Div: "/", ast.Add: "+", ast.Sub: "-"}
#: Names under which functions, and not methods of a value, are called.
_LIBRARIES: Final = frozenset({"torch", "F", "nn", "np", "numpy", "pd", "pandas", "functional", "special"})
_CASTS: Final = "float double half bfloat16 int short byte char bool"
_COLUMNS: Final = "unsqueeze unsqueeze_ view reshape expand_dims atleast_2d"
_MAKERS: Final = "tensor as_tensor full zeros ones empty full_like zeros_like ones_like array asarray"
#: The smallest number that a logarithm, a root or a division is given instead of what is none for it.
_TINY: Final = "1e-8"


@dataclass(frozen=True, slots=True)
class Fault:
    """The culprit and all that is known of it."""

    step: Step
    #: The culprit, and its parts if it is a call, an operator or a dictionary.
    node: Any
    source: Source
    symptom: Symptom
    finding: Finding

    def written(self, node: ast.expr | None = None) -> str:
        """The culprit, or a part of it, as it is written."""
        return text_of(self.source, node or self.node)

    def evaluate(self, node: ast.expr) -> Any:
        """What an expression gave, if that can still be worked out."""
        return self.step.moment.evaluate(node) if self.step.moment is not None else UNKNOWN

    @property
    def name(self) -> str:
        """The last word of what is called, or the sign of an operator or of a dictionary."""
        if isinstance(self.node, ast.Call):
            return called_name(self.node)
        if isinstance(self.node, ast.Dict):
            return "{}"
        return _OPERATORS.get(type(self.node.op), "") if isinstance(self.node, ast.BinOp) else ""

    @property
    def kind(self) -> str:
        """The kind of fault, by which the table is asked."""
        kind = _KINDS.get((self.symptom.name, self.finding.seek), self.symptom.name.replace("truncated", "non-finite"))
        if kind not in {"probabilities", "scores"}:
            return kind
        if self.name in {"log_softmax", "LogSoftmax"}:
            return "along another axis"
        return f"layer of {kind}" if self.name[:1].isupper() else kind

    @property
    def needed(self) -> int:
        """How many classes the labels need."""
        said = self.finding.evidence
        return int(max(said.get("largest_of_all", 0), said.get("largest", 0), *said.get("outside", [0]))) + 1

    @property
    def axis(self) -> Any:
        """The axis of the classes."""
        return self.finding.evidence.get("class_axis", 1)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A row of the table: what to write in the place of a culprit, and what that does."""

    kind: str
    #: The calls and operators that it is for, in one text; `call` for any call, `any` for any expression.
    names: str
    title: str
    #: What to write instead; empty if it does not fit. An edit where more is changed than the expression.
    write: Callable[[Fault], str | Edit]
    safety: Safety = Safety.CHANGES_VALUES
    #: Whether it must be worked out to count; else it does what the checked fix of the call does.
    witnessed: bool = False
    #: What stands in the code, or in the proof, of the fix of the call that does the same.
    like: str = ""

    def fits(self, fault: Fault) -> bool:
        """Whether it is for this fault."""
        words = {"any", fault.name, "call" if isinstance(fault.node, ast.Call) else ""}
        return self.kind == fault.kind and not words.isdisjoint(self.names.split())


def remedy(step: Step, symptom: Symptom, finding: Finding) -> Fix | None:
    """What to write at the line of the culprit instead, if something holds good there."""
    source = source_of(step.file)
    if step.culprit is None or source is None or getattr(step.culprit, "end_lineno", None) is None:
        return None
    fault = Fault(step, step.culprit, source, symptom, finding)
    spoils = fault.kind in _OF_LABELS and changes_more(fault.node, source, step.moment)
    if spoils or (fault.kind == "whole" and _is_cast_later(fault)):
        return None
    held = (_held_good(proposal, fault) for proposal in _PROPOSALS if proposal.fits(fault))
    return next(filter(None, held), None)


def _held_good(proposal: Proposal, fault: Fault) -> Fix | None:
    """The proposal as a fix, if it holds good."""
    new = proposal.write(fault)
    text = with_known_names(new, fault.source) if isinstance(new, str) else ""
    edit = new if isinstance(new, Edit) else instead_of(fault.node, text) if text else None
    line = rewritten(fault.source, [edit]) if edit is not None else None
    if line is None or line.code == line.place.code:
        return None
    alike = [fix for fix in fault.finding.fixes if fix.checked and fix.safety is proposal.safety]
    twin = next((fix for fix in alike if proposal.like in fix.code or proposal.like in fix.proof), None)
    if twin is not None and twin.only_batch:
        return None  # other labels than those of this batch stand in its way
    how = _worked_out(proposal, text, fault) if text else None
    if how is None and not proposal.witnessed and twin is not None:
        how = twin.checked
    title = proposal.title.format(fault=fault, last=fault.needed - 1)
    return Fix(title, proposal.safety, line.code, "", None, line.place, Scope.SOURCE, how) if how else None


def _worked_out(proposal: Proposal, text: str, fault: Fault) -> str | None:
    """How the new expression was checked: empty if it is bad, None if it cannot be worked out."""
    value = fault.evaluate(ast.parse(text, mode="eval").body) if fault.symptom.about != "meaning" else UNKNOWN
    if value is UNKNOWN:
        return None
    judgement = fault.symptom.judge(value)
    if judgement is Judgement.BAD:
        return ""
    if judgement is not Judgement.GOOD and not (proposal.witnessed and judgement is Judgement.NEITHER):
        return None
    if proposal.safety is Safety.LOSSLESS and fault.symptom.about == "dtype":
        before, after = numbers_of(fault.evaluate(fault.node)), numbers_of(value)
        if before is None or after is None or before.shape != after.shape or not (before == after).all():
            return ""
    return "" if _spoiled_again(text, fault) else "worked out with the values at hand"


def _spoiled_again(text: str, fault: Fault) -> bool:
    """Whether the statement makes the value bad all the same: `torch.tensor(label // 2, dtype=torch.float32)`."""
    line = rewritten(fault.source, [instead_of(fault.node, text)])
    try:
        (statement,) = ast.parse(line.code if line is not None else "").body
    except (SyntaxError, ValueError):
        return False
    whole = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Return) else None
    return whole is not None and fault.symptom.judge(fault.evaluate(whole)) is Judgement.BAD


def _is_cast_later(fault: Fault) -> bool:
    """Whether the value is cast once more in the same function, so that its dtype here does not last."""
    for call in ast.walk(fault.source.scope_of(fault.node)):
        if isinstance(call, ast.Call) and call.lineno > fault.node.lineno and called_name(call) in _CASTS.split():
            parts = [*call.args, call.func.value] if isinstance(call.func, ast.Attribute) else call.args
            if any(isinstance(part, ast.Name) and part.id == fault.step.variable for part in parts):
                return True
    return False


def _without_call(fault: Fault) -> str:
    """What remains of an expression when its outermost call is left out."""
    function, given = fault.node.func, fault.node.args
    if not isinstance(function, ast.Attribute) or ast.unparse(function).partition(".")[0] in _LIBRARIES:
        return fault.written(given[0]) if given and not isinstance(given[0], ast.Constant) else ""
    # `scores.softmax(1)` is a method; `fn.softmax(scores, 1)` may be a function of a module of any name.
    plain = all(isinstance(word, ast.Constant | ast.UnaryOp) for word in given)
    return fault.written(function.value) if plain else ""


def _with(node: ast.expr, **parts: Any) -> str:
    """An expression with other parts."""
    changed = copy.copy(node)
    for name, part in parts.items():
        setattr(changed, name, part)
    return ast.unparse(changed)


def _uncast(fault: Fault) -> str:
    """What a method without arguments is called on."""
    function = fault.node.func
    return fault.written(function.value) if isinstance(function, ast.Attribute) and not fault.node.args else ""


def _with_dtype(fault: Fault, *, named: bool) -> str:
    """The same call with the dtype of class indices, if it names one or not."""
    node: ast.Call = fault.node
    home, cast = ast.unparse(node.func).partition(".")[0], fault.name in {"astype", "to", "type"}
    of_torch = home == "torch" or (cast and fault.name != "astype")
    wanted = "torch.long" if of_torch else "np.int64" if home == "np" else '"int64"'
    if (dtype_named(node) is not None) is not named:
        return ""
    words = [wanted if cast and names_dtype(item) else ast.unparse(item) for item in node.args]
    words += [ast.unparse(word) for word in node.keywords if word.arg != "dtype"]
    if not cast or any(word.arg == "dtype" for word in node.keywords):
        words.append(f"dtype={wanted}")
    return f"{ast.unparse(node.func)}({', '.join(words)})"


def _as_number(fault: Fault) -> str:
    """A number as an integer; one that is written out is one of several."""
    text, plain = (
        fault.written(),
        not isinstance(fault.node, ast.Constant) and isinstance(fault.evaluate(fault.node), float),
    )
    return f"int({text.removeprefix('(').removesuffix(')') if text[0] == '(' else text})" if plain else ""


def _as_integers(fault: Fault) -> str:
    """A tensor, an array or a column as integers, unless features lie beside the labels."""
    value = fault.evaluate(fault.node)
    if isinstance(value, float) or getattr(value, "ndim", 0) > max(1, len(fault.finding.evidence.get("shape") or ())):
        return ""
    cast = ".long()" if hasattr(value, "detach") else '.astype("int64")' if hasattr(value, "astype") else ""
    return f"{fault.written()}{cast}" if cast else ""


def _guarded(fault: Fault) -> str:
    """The same function of what is made large enough for it, where that is not what the loss itself wants."""
    function, given = fault.node.func, fault.node.args
    wanted = fault.name.startswith("log") and fault.finding.loss in {"nll_loss", "kl_div"}
    if wanted or not isinstance(function, ast.Attribute):
        return ""
    if given and ast.unparse(function.value) in _LIBRARIES:
        safe = _at_least(fault, given[0])
        return f"{ast.unparse(function)}({safe})" if safe else ""
    safe = _at_least(fault, function.value) if not given else ""
    return f"{safe}.{function.attr}()" if safe else ""


def _at_least(fault: Fault, node: ast.expr) -> str:
    """An expression that is never below a tiny number, by what the value is; empty if that is not known."""
    text, value = fault.written(node), fault.evaluate(node)
    if hasattr(value, "detach"):
        return f"{text}.clamp(min={_TINY})"
    if hasattr(value, "clip"):
        return f"{text}.clip({_TINY})"
    return f"max({text}, {_TINY})" if isinstance(value, int | float) else ""


def _without_one(fault: Fault) -> str:
    """A sum without the 1 in it, or a difference."""
    left, right = fault.node.left, fault.node.right
    if isinstance(right, ast.Constant) and right.value == 1:
        return fault.written(left)
    commutes = fault.name == "+" and isinstance(left, ast.Constant) and left.value == 1
    return fault.written(right) if commutes else ""


def _lowered(fault: Fault) -> str:
    """A dictionary whose numbers are written out, each of them one less."""
    numbers = [getattr(value, "value", None) for value in fault.node.values]
    lowered = [ast.Constant(number - 1) for number in numbers if type(number) is int]
    return _with(fault.node, values=lowered) if len(lowered) == len(numbers) else ""


def _counted(fault: Fault) -> str:
    """Classes were counted, and those at the end do not occur."""
    node, classes = fault.node, fault.finding.evidence.get("classes")
    function = ast.unparse(node.func)
    least = ".clip(1)" if function.startswith(("np", "numpy")) else ".clamp(min=1)"
    one = classes and len(node.args) == 1
    return f"{function}({ast.unparse(node.args[0])}, minlength={classes}){least}" if one else ""


def _enlarged(fault: Fault) -> str:
    """A number of classes, and as many more as there are too few."""
    now = fault.evaluate(fault.node)
    if isinstance(fault.node, ast.Constant):
        return str(fault.needed)
    return f"{fault.written()} + {fault.needed - now}" if isinstance(now, int) and now < fault.needed else ""


def _in_logarithms(fault: Fault) -> str:
    """A softmax as its logarithm, which a file that imports one name may not know."""
    function, name = fault.node.func, {"softmax": "log_softmax", "Softmax": "LogSoftmax"}[fault.name]
    if isinstance(function, ast.Attribute):
        return _with(fault.node, func=ast.Attribute(function.value, name, function.ctx))
    return _with(fault.node, func=ast.Name(f"torch.nn.{name}" if name[0].isupper() else f"torch.{name}"))


def _along(fault: Fault) -> str:
    """A log_softmax along the axis of the classes."""
    node, given = fault.node, fault.node.args
    if hasattr(fault.evaluate(node.func), "forward"):
        return ""  # a layer was told where it was made
    number = getattr(given[-1], "operand", given[-1]) if given else None
    given = given[:-1] if isinstance(number, ast.Constant) and isinstance(number.value, int) else given
    words = [word for word in node.keywords if word.arg != "dim"]
    return _with(node, args=given, keywords=[*words, ast.keyword("dim", ast.Constant(fault.axis))])


def _layer_more(fault: Fault) -> str | Edit:
    """The model ends one layer too early."""
    around = fault.source.parents.get(fault.node)
    if not isinstance(around, ast.Call) or fault.node not in around.args or "nn" not in names_bound(fault.source):
        return ""
    return instead_of(fault.node, f"{fault.written()}, nn.LogSoftmax(dim={fault.axis})")


def _layer_less(fault: Fault) -> str | Edit:
    """The model ends one layer too late. One on a line of its own is better replaced there than taken out."""
    around = fault.source.parents.get(fault.node)
    layers = around.args if isinstance(around, ast.Call) else []
    if len(layers) < 2 or fault.node is not layers[-1] or layers[-2].end_lineno != fault.node.lineno:
        return "nn.Identity()"
    before = instead_of(layers[-2], "")
    return Edit(before.end, instead_of(fault.node, "").end, "")


_SAFE: Final = Safety.LOSSLESS
_MORE: Final = "the labels go to {last}: give the model {fault.needed} classes"
_LOGS: Final = "the loss wants log-probabilities"
_PROPOSALS: Final = (
    Proposal("whole", "/", "divide whole numbers", lambda f: _with(f.node, op=ast.FloorDiv()), _SAFE, witnessed=True),
    Proposal(
        "whole",
        "Tensor FloatTensor DoubleTensor",
        "torch.Tensor is always float32; name the dtype",
        lambda f: f"torch.tensor({', '.join(map(f.written, f.node.args))}, dtype=torch.long)",
        _SAFE,
    ),
    Proposal("whole", _CASTS, "leave the label as it is: no .{fault.name}()", _uncast, _SAFE, witnessed=True),
    Proposal(
        "whole",
        "float",
        "keep the label whole",
        lambda f: f"int({f.written(f.node.args[0])})" if f.node.args else "",
        _SAFE,
        witnessed=True,
    ),
    Proposal("whole", "astype to type", "keep the label whole", lambda f: _with_dtype(f, named=True), _SAFE),
    Proposal("whole", _MAKERS, "name the dtype of class indices", lambda f: _with_dtype(f, named=False), _SAFE),
    Proposal("whole", _MAKERS, "let the dtype be that of class indices", lambda f: _with_dtype(f, named=True), _SAFE),
    Proposal("whole", "any", "make the label an integer", _as_number, _SAFE, witnessed=True),
    Proposal("whole", "any", "make the labels integers", _as_integers, _SAFE, witnessed=True),
    Proposal("non-finite", "log log2 log10", "no logarithm of what is not above 0", _guarded, witnessed=True),
    Proposal("non-finite", "sqrt rsqrt", "no root of what is not above 0", _guarded, witnessed=True),
    Proposal(
        "non-finite",
        "/",
        "divide by no zero",
        lambda f: f"{f.written(f.node.left)} / {_at_least(f, f.node.right)}",
        witnessed=True,
    ),
    Proposal("plain probabilities", "softmax Softmax", _LOGS, _in_logarithms),
    Proposal("along another axis", "call", "let it go along axis {fault.axis}, the classes", _along),
    Proposal("layer of scores", "call", f"{_LOGS}: let the model end in them", _layer_more),
    Proposal(
        "layer of probabilities", "call", "the loss wants scores: let the model end before this layer", _layer_less
    ),
    Proposal("probabilities", "call", "the loss wants scores; leave out the softmax or sigmoid", _without_call),
    Proposal("scores", "call", _LOGS, lambda f: f"F.log_softmax({f.written()}, dim={f.axis})"),
    Proposal("size", "-", _MORE, lambda f: f.written(f.node.left), like="F.pad("),
    Proposal("size", "any", _MORE, _enlarged, like="F.pad("),
    Proposal("from one", "+ -", "count from 0", _without_one, like=" - 1"),
    Proposal("from one", "enumerate", "count from 0", lambda f: f"enumerate({f.written(f.node.args[0])})", like=" - 1"),
    Proposal("from one", "{}", "count from 0", _lowered, like=" - 1"),
    Proposal("length", "bincount", "count every class, and none less than once", _counted, witnessed=True),
    Proposal("column", _COLUMNS, "make no column here", _without_call, _SAFE),
    Proposal("one-hot", "one_hot get_dummies", "make no one-hot rows here", _without_call, _SAFE),
)
