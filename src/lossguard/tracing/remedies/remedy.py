"""The lasting fix, at the line where the fault came in: the whole line as it should be. Shown, never applied.

Each kind of fault has its proposals, the nearest to what the user wrote first. A proposal counts only if the line is
Python, names nothing that is not there, and holds good: worked out with the values at hand it has the symptom no more,
or it does to the labels what a checked fix of the call does to them, and to nothing else.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Iterator
from typing import Any

from lossguard.findings import Finding, Fix, Safety, Scope
from lossguard.records import dataclass, replace
from lossguard.tracing.links.tables import Column
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.sources import Source, source_of
from lossguard.tracing.remedies.also_changed import changes_more, is_read_for
from lossguard.tracing.remedies.rewriting import Edit, instead_of, rewritten, text_of
from lossguard.tracing.symptoms.effects import dtype_named, names_dtype
from lossguard.tracing.symptoms.symptom import Judgement, Symptom, numbers_of
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.walks.steps import Step

#: The faults that are one of dtype and of nothing else.
_OF_DTYPE = frozenset({"floating", "dtype"})
_WHOLE = frozenset({"floating", "dtype int32", "dtype int16", "dtype int8", "dtype uint8", "dtype bool"})
_MAKERS = frozenset({"tensor", "as_tensor", "full", "zeros", "ones", "empty", "full_like", "zeros_like", "ones_like"})
_COLUMN_MAKERS = frozenset({"unsqueeze", "unsqueeze_", "view", "reshape", "expand_dims", "atleast_2d"})
#: Names under which functions, and not methods of a value, are called.
_LIBRARIES = frozenset({"torch", "F", "nn", "np", "numpy", "pd", "pandas", "functional", "special"})
_CASTS = frozenset({"float", "double", "half", "bfloat16", "int", "short", "byte", "char", "bool"})
_LOGARITHMS = frozenset({"log", "log2", "log10"})
#: The smallest number that a logarithm, a root or a division is given instead of what is none for it.
_TINY = "1e-8"


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something to write in the place of the culprit, and what that does."""

    title: str
    text: str
    safety: Safety = Safety.LOSSLESS
    #: Whether it leaves out the rows that have no label.
    drops: bool = False
    #: Whether it must be worked out to count; else it does what the checked fix of the call does.
    witnessed: bool = False
    #: What to change, where it is more than the expression.
    edit: Edit | None = None
    #: What stands in the code, or in the proof, of the fix of the call that does the same.
    like: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """The culprit and all that is known of it."""

    step: Step
    node: ast.expr
    source: Source
    symptom: Symptom
    finding: Finding
    #: The column of a table that was read on the way.
    column: Column | None = None
    #: Whether whole rows of the table are taken: what is whole in its column is not beside fractions in a row.
    by_rows: bool = False

    @property
    def text(self) -> str:
        """The culprit as it is written."""
        return text_of(self.source, self.node)

    @property
    def name(self) -> str:
        """The last word of what is called; empty for what is no call."""
        return called_name(self.node) if isinstance(self.node, ast.Call) else ""

    @property
    def value(self) -> Any:
        """What the expression gave, if that can still be worked out."""
        return self.step.moment.evaluate(self.node) if self.step.moment is not None else UNKNOWN


def remedy(
    step: Step,
    symptom: Symptom,
    finding: Finding,
    column: Column | None = None,
    *,
    by_rows: bool = False,
) -> Fix | None:
    """What to write at the line of the culprit instead, if something holds good there."""
    source = source_of(step.file)
    if step.culprit is None or source is None or getattr(step.culprit, "end_lineno", None) is None:
        return None
    fault = Fault(step, step.culprit, source, symptom, finding, column, by_rows)
    for proposal in _proposals(fault):
        fix = _held_good(proposal, fault)
        if fix is not None:
            return fix
    return None


def _held_good(proposal: Proposal, fault: Fault) -> Fix | None:
    """The proposal as a fix, if it holds good."""
    text = _spelled(proposal.text, fault.source)
    edit = proposal.edit or (instead_of(fault.node, text) if text else None)
    line = rewritten(fault.source, [edit]) if edit is not None else None
    if line is None or line.code == line.place.code:
        return None
    twin = next((fix for fix in fault.finding.fixes if fix.checked and _does_the_same(fix, proposal)), None)
    if twin is not None and twin.only_batch and not proposal.drops:
        return None  # other labels than those of this batch stand in its way
    how, only_batch = _worked_out(proposal, text, fault), ""
    if how is None:
        if proposal.witnessed or twin is None:
            return None
        how, only_batch = twin.checked, twin.only_batch
        if proposal.drops and only_batch:
            # All labels were judged: those that are missing are dropped, and there must be no others.
            missing_only = only_batch.endswith("missing") and ";" not in only_batch
            how, only_batch = ("the loss takes all other labels of the column" if missing_only else ""), ""
    if not how:
        return None
    made = Fix(proposal.title, proposal.safety, line.code, "", None, line.place, Scope.SOURCE, how)
    return replace(made, only_batch=only_batch)


def _does_the_same(fix: Fix, proposal: Proposal) -> bool:
    """Whether a fix of the call does to the labels what the proposal does; what drops rows casts the others."""
    same = proposal.drops or fix.safety is proposal.safety
    return same and (proposal.like in fix.code or proposal.like in fix.proof)


def _worked_out(proposal: Proposal, text: str, fault: Fault) -> str | None:
    """How the new expression was checked: empty if it is bad, None if it cannot be worked out."""
    if proposal.edit is not None or fault.step.moment is None or fault.symptom.about == "meaning":
        return None
    value = fault.step.moment.evaluate(ast.parse(text, mode="eval").body)
    if value is UNKNOWN:
        return None
    judgement = fault.symptom.judge(value)
    if judgement is Judgement.BAD:
        return ""
    if judgement is not Judgement.GOOD and not (proposal.witnessed and judgement is Judgement.NEITHER):
        return None
    if proposal.safety is Safety.LOSSLESS and fault.symptom.about == "dtype" and not _same(fault.value, value):
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
    if whole is None or fault.step.moment is None:
        return False
    return fault.symptom.judge(fault.step.moment.evaluate(whole)) is Judgement.BAD


def _same(before: Any, after: Any) -> bool:
    """Whether two values are the same numbers."""
    one, other = numbers_of(before), numbers_of(after)
    if one is None or other is None or one.shape != other.shape:
        return False
    return bool((one == other).all())


def _spelled(text: str, source: Source) -> str:
    """The text with torch's functions under a name that the file has; empty if it names what is not there."""
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return ""
    known = _names(source)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if "F" in used and "F" not in known and "torch" in known:
        text, used = text.replace("F.log_softmax", "torch.nn.functional.log_softmax"), {*used, "torch"} - {"F"}
    if "nn" in used and "nn" not in known and "torch" in known:
        text, used = text.replace("nn.", "torch.nn."), {*used, "torch"} - {"nn"}
    return text if used <= known else ""


def _names(source: Source) -> set[str]:
    """Every name that a file binds anywhere, and Python's own."""
    bound = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)}
    bound |= {node.arg for node in ast.walk(source.tree) if isinstance(node, ast.arg)}
    imports = [node for node in ast.walk(source.tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    bound |= {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}
    return bound | {*dir(builtins)}


def _proposals(fault: Fault) -> Iterator[Proposal]:
    """What could be written instead, by the kind of fault."""
    kind = fault.symptom.name
    of_a_table = fault.name.startswith("read_") and fault.column is not None
    of_labels = kind in _WHOLE or kind in {"column", "one-hot", "outside"}
    if of_labels and not of_a_table and changes_more(fault.node, fault.source, fault.step.moment):
        return
    if kind in _WHOLE and fault.finding.seek in _OF_DTYPE:
        yield from _whole(fault)
    elif kind in {"non-finite", "truncated"}:
        yield from _finite(fault)
    elif kind in {"probabilities", "scores"}:
        yield from _meaning(fault)
    elif kind == "size":
        yield from _larger(fault)
    elif kind == "outside" and fault.finding.seek == "class numbers":
        yield from _from_zero(fault)
    elif kind == "length":
        yield from _counted(fault)
    elif kind == "column" and (fault.name in _COLUMN_MAKERS or isinstance(fault.node, ast.Subscript)):
        yield Proposal("make no column here", _without_call(fault))
    elif kind == "one-hot" and fault.name in {"one_hot", "get_dummies"}:
        yield Proposal("make no one-hot rows here", _without_call(fault))


def _whole(fault: Fault) -> Iterator[Proposal]:
    """The label should have been an integer."""
    node, name, text = fault.node, fault.name, fault.text
    if _is_cast_later(fault):
        return
    if name.startswith("read_") and fault.column is not None:
        yield from _table(fault, fault.column)
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        whole = copy.copy(node)
        whole.op = ast.FloorDiv()
        yield Proposal("divide whole numbers", ast.unparse(whole), witnessed=True)
    if isinstance(node, ast.Call) and name in {"Tensor", "FloatTensor", "DoubleTensor"}:
        inside = ", ".join(text_of(fault.source, item) for item in node.args)
        yield Proposal("torch.Tensor is always float32; name the dtype", f"torch.tensor({inside}, dtype=torch.long)")
    if name in _CASTS and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        yield Proposal(
            f"leave the label as it is: no .{name}()", text_of(fault.source, node.func.value), witnessed=True
        )
    if name == "float" and isinstance(node, ast.Call) and node.args:
        yield Proposal("keep the label whole", f"int({text_of(fault.source, node.args[0])})", witnessed=True)
    if isinstance(node, ast.Call) and (name in {"astype", "to", "type", "array", "asarray"} or name in _MAKERS):
        yield from _with_dtype(node, name)
    yield from _cast(fault, text)


def _is_cast_later(fault: Fault) -> bool:
    """Whether the value is cast once more in the same function, so that its dtype here does not last."""
    variable = fault.step.variable
    for call in ast.walk(fault.source.scope_of(fault.node)):
        if isinstance(call, ast.Call) and call.lineno > fault.node.lineno and called_name(call) in _CASTS:
            parts = [*call.args, call.func.value] if isinstance(call.func, ast.Attribute) else call.args
            if any(isinstance(part, ast.Name) and part.id == variable for part in parts):
                return True
    return False


def _cast(fault: Fault, text: str) -> Iterator[Proposal]:
    """The same value as an integer, by what it is; a number that is written out is one of several."""
    value = UNKNOWN if isinstance(fault.node, ast.Constant) else fault.value
    if isinstance(value, float):
        yield Proposal(
            "make the label an integer",
            f"int({text.removeprefix('(').removesuffix(')') if text[0] == '(' else text})",
            witnessed=True,
        )
    elif getattr(value, "ndim", 0) > max(1, len(fault.finding.evidence.get("shape") or ())):
        return  # features lie beside the labels
    elif hasattr(value, "detach"):
        yield Proposal("make the labels integers", f"{text}.long()", witnessed=True)
    elif hasattr(value, "astype"):
        yield Proposal("make the labels integers", f'{text}.astype("int64")', witnessed=True)


def _table(fault: Fault, column: Column) -> Iterator[Proposal]:
    """The table as it is read, without the rows that have no label, and labels of classes as integers."""
    of_classes = fault.finding.loss in _OF_CLASSES
    if column.emptied or (of_classes and (fault.by_rows or not column.whole)):
        return  # what is read here is not what was seen later, or holds more than labels
    name = _quoted(column.name)
    cast = f'.astype({{{name}: "int64"}})' if of_classes else ""
    limited = next((fix.only_batch for fix in fault.finding.fixes if fix.only_batch), "")
    if cast and not column.missing and not limited:
        yield Proposal(f"make {name} integers", f"{fault.text}{cast}")
    elif (column.missing or limited) and not is_read_for(column.name, fault.node, fault.source):
        title = f"drops {column.missing:,} of {column.rows:,} rows, which have no {name}"
        title = title if column.missing else f"drops the rows that have no {name}"
        text = f"{fault.text}.dropna(subset=[{name}]).reset_index(drop=True){cast}"
        yield Proposal(title, text, Safety.CHANGES_VALUES, drops=True)


def _quoted(text: str) -> str:
    """A word as a literal, in double quotes where that can be."""
    return f'"{text}"' if text.isprintable() and not {'"', chr(92)} & {*text} else repr(text)


def _with_dtype(node: ast.Call, name: str) -> Iterator[Proposal]:
    """The same call with the dtype of class indices."""
    home = ast.unparse(node.func).partition(".")[0]
    wanted = "torch.long" if home == "torch" or name in {"to", "type"} else "np.int64" if home == "np" else '"int64"'
    if name in {"astype", "to", "type"}:
        if dtype_named(node) is not None:
            given = [wanted if names_dtype(item) else ast.unparse(item) for item in node.args]
            given += [
                f"{word.arg}={wanted if word.arg == 'dtype' else ast.unparse(word.value)}" for word in node.keywords
            ]
            yield Proposal("keep the label whole", f"{ast.unparse(node.func)}({', '.join(given)})")
        return
    words = [*map(ast.unparse, node.args)]
    words += [ast.unparse(word) for word in node.keywords if word.arg != "dtype"]
    title = "name the dtype of class indices" if dtype_named(node) is None else "let the dtype be that of class indices"
    yield Proposal(title, f"{ast.unparse(node.func)}({', '.join([*words, f'dtype={wanted}'])})")


def _finite(fault: Fault) -> Iterator[Proposal]:
    """There should have been a number."""
    node, name = fault.node, fault.name
    if name.startswith("read_") and fault.column is not None:
        if fault.column.missing:
            yield from _table(fault, fault.column)
        return
    if isinstance(node, ast.Call) and name in _LOGARITHMS and fault.finding.loss not in {"nll_loss", "kl_div"}:
        yield from _guarded(fault, node, "no logarithm of what is not above 0")
    if isinstance(node, ast.Call) and name in {"sqrt", "rsqrt"}:
        yield from _guarded(fault, node, "no root of what is not above 0")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        bottom = _at_least(
            text_of(fault.source, node.right), fault.step.moment and fault.step.moment.evaluate(node.right)
        )
        if bottom:
            text = f"{text_of(fault.source, node.left)} / {bottom}"
            yield Proposal("divide by no zero", text, Safety.CHANGES_VALUES, witnessed=True)


#: The losses whose labels are class indices.
_OF_CLASSES = frozenset({"cross_entropy", "nll_loss", "multi_margin_loss"})


def _guarded(fault: Fault, node: ast.Call, title: str) -> Iterator[Proposal]:
    """The same function of what is made large enough for it."""
    function = node.func
    library = isinstance(function, ast.Attribute) and ast.unparse(function.value) in _LIBRARIES
    inner = node.args[0] if node.args and (library or isinstance(function, ast.Name)) else None
    if inner is None and isinstance(function, ast.Attribute) and not node.args:
        inner = function.value
    if inner is None or fault.step.moment is None:
        return
    if isinstance(inner, ast.Call) and called_name(inner) == "softmax":
        twin = _twin(inner, "log_softmax")
        yield Proposal("log_softmax has no logarithm of 0", twin, Safety.CHANGES_VALUES)
    safe = _at_least(text_of(fault.source, inner), fault.step.moment.evaluate(inner))
    if safe and library:
        yield Proposal(title, f"{ast.unparse(function)}({safe})", Safety.CHANGES_VALUES, witnessed=True)
    elif safe and isinstance(function, ast.Attribute):
        yield Proposal(title, f"{safe}.{function.attr}()", Safety.CHANGES_VALUES, witnessed=True)


def _at_least(text: str, value: Any) -> str:
    """An expression that is never below a tiny number, by what the value is; empty if that is not known."""
    if hasattr(value, "detach"):
        return f"{text}.clamp(min={_TINY})"
    if hasattr(value, "clip"):
        return f"{text}.clip({_TINY})"
    return f"max({text}, {_TINY})" if isinstance(value, int | float) else ""


def _from_zero(fault: Fault) -> Iterator[Proposal]:
    """Classes count from 0."""
    node = fault.node
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        for kept, other in ((node.left, node.right), (node.right, node.left)):
            if (
                isinstance(other, ast.Constant)
                and other.value == 1
                and (kept is node.left or isinstance(node.op, ast.Add))
            ):
                yield Proposal("count from 0", text_of(fault.source, kept), Safety.CHANGES_VALUES, like=" - 1")
    if isinstance(node, ast.Call) and fault.name == "enumerate" and len(node.args) + len(node.keywords) == 2:
        text = f"enumerate({text_of(fault.source, node.args[0])})"
        yield Proposal("count from 0", text, Safety.CHANGES_VALUES, like=" - 1")
    if isinstance(node, ast.Dict) and all(isinstance(v, ast.Constant) and type(v.value) is int for v in node.values):
        shifted = copy.copy(node)
        shifted.values = [
            ast.Constant(v.value - 1) for v in node.values if isinstance(v, ast.Constant) and isinstance(v.value, int)
        ]
        yield Proposal("count from 0", ast.unparse(shifted), Safety.CHANGES_VALUES, like=" - 1")


def _counted(fault: Fault) -> Iterator[Proposal]:
    """Classes were counted, and those at the end do not occur."""
    classes = fault.finding.evidence.get("classes")
    if fault.name == "bincount" and isinstance(fault.node, ast.Call) and classes and len(fault.node.args) == 1:
        least = ".clip(1)" if ast.unparse(fault.node.func).startswith(("np", "numpy")) else ".clamp(min=1)"
        words = [*map(ast.unparse, fault.node.args), f"minlength={classes}"]
        text = f"{ast.unparse(fault.node.func)}({', '.join(words)}){least}"
        yield Proposal("count every class, and none less than once", text, Safety.CHANGES_VALUES, witnessed=True)


def _larger(fault: Fault) -> Iterator[Proposal]:
    """The model has too few classes for its labels."""
    node = fault.node
    evidence = fault.finding.evidence
    needed = int(max(evidence.get("largest_of_all", 0), evidence.get("largest", 0), *evidence.get("outside", [0]))) + 1
    title = f"the labels go to {needed - 1}: give the model {needed} classes"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        yield Proposal(title, text_of(fault.source, node.left), Safety.CHANGES_VALUES, like="F.pad(")
    now = fault.value
    if isinstance(node, ast.Constant):
        yield Proposal(title, str(needed), Safety.CHANGES_VALUES, like="F.pad(")
    elif isinstance(now, int) and now < needed:
        yield Proposal(title, f"{fault.text} + {needed - now}", Safety.CHANGES_VALUES, like="F.pad(")


def _meaning(fault: Fault) -> Iterator[Proposal]:
    """The model's output means something else than the loss takes it for."""
    node, name, probabilities = fault.node, fault.name, fault.symptom.name == "probabilities"
    axis = fault.finding.evidence.get("class_axis", 1)
    if not isinstance(node, ast.Call):
        return
    if probabilities and fault.finding.seek == "plain probabilities":
        twin = {"softmax": "log_softmax", "Softmax": "LogSoftmax"}.get(name)
        if twin is not None:
            yield Proposal("the loss wants log-probabilities", _twin(node, twin), Safety.CHANGES_VALUES)
    elif name in {"log_softmax", "LogSoftmax"}:
        yield from _along(node, axis)
    elif name[:1].isupper():
        yield from _layer(fault, axis)
    elif probabilities:
        title = "the loss wants scores; leave out the softmax or sigmoid"
        yield Proposal(title, _without_call(fault), Safety.CHANGES_VALUES)
    else:
        text = f"F.log_softmax({fault.text}, dim={axis})"
        yield Proposal("the loss wants log-probabilities", text, Safety.CHANGES_VALUES)


def _twin(node: ast.Call, name: str) -> str:
    """The same call under another name, which a file that imports one name may not know."""
    call = copy.copy(node)
    if isinstance(node.func, ast.Attribute):
        call.func = ast.Attribute(node.func.value, name, node.func.ctx)
    else:
        call.func = ast.Name(f"torch.nn.{name}" if name[0].isupper() else f"torch.{name}")
    return ast.unparse(call)


def _along(node: ast.Call, axis: int) -> Iterator[Proposal]:
    """A log_softmax along the axis of the classes."""
    call = copy.copy(node)
    call.keywords = [word for word in node.keywords if word.arg != "dim"]
    call.args = node.args[:-1] if node.args and _is_number(node.args[-1]) else list(node.args)
    call.keywords = [*call.keywords, ast.keyword("dim", ast.Constant(axis))]
    yield Proposal(f"let it go along axis {axis}, the classes", ast.unparse(call), Safety.CHANGES_VALUES)


def _is_number(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and isinstance(inner.value, int)


def _layer(fault: Fault, axis: int) -> Iterator[Proposal]:
    """The fault is a layer of the model: one too many at its end, or one too few."""
    around = fault.source.parents.get(fault.node)
    listed = isinstance(around, ast.Call) and fault.node in around.args
    if fault.symptom.name == "scores":
        if listed:
            code = f"{fault.text}, nn.LogSoftmax(dim={axis})"
            edit = instead_of(fault.node, code) if "nn" in _names(fault.source) else None
            title = "the loss wants log-probabilities: let the model end in them"
            yield Proposal(title, "", Safety.CHANGES_VALUES, edit=edit)
        return
    title = "the loss wants scores: let the model end before this layer"
    last = around.args[-2] if listed and isinstance(around, ast.Call) and len(around.args) > 1 else None
    # A layer on a line of its own is better replaced there than taken out across lines.
    if (
        last is not None
        and isinstance(around, ast.Call)
        and fault.node is around.args[-1]
        and last.end_lineno == fault.node.lineno
    ):
        start = (last.end_lineno or last.lineno, last.end_col_offset or 0)
        end = (fault.node.end_lineno or fault.node.lineno, fault.node.end_col_offset or 0)
        yield Proposal(title, "", Safety.CHANGES_VALUES, edit=Edit(start, end, ""))
    yield Proposal(title, "nn.Identity()", Safety.CHANGES_VALUES)


def _without_call(fault: Fault) -> str:
    """What remains of an expression when its outermost call is left out."""
    node = fault.node
    if not isinstance(node, ast.Call):
        return ""
    if not isinstance(node.func, ast.Attribute) or ast.unparse(node.func).partition(".")[0] in _LIBRARIES:
        return text_of(fault.source, node.args[0]) if node.args and not isinstance(node.args[0], ast.Constant) else ""
    # `scores.softmax(1)` is a method; `fn.softmax(scores, 1)` may be a function of a module of any name.
    plain = all(isinstance(word, ast.Constant | ast.UnaryOp) for word in node.args)
    return text_of(fault.source, node.func.value) if plain else ""
