"""The lasting fix, at the line where the fault came in. Shown, never applied."""

from __future__ import annotations

import ast
import copy

from lossguard.findings import Fix, Place, Safety
from lossguard.tracing.binding import called_name
from lossguard.tracing.effects import dtype_named
from lossguard.tracing.steps import Step

_WHOLE = frozenset({"floating", "dtype int32", "dtype int16", "dtype int8", "dtype uint8", "dtype bool"})
_MAKERS = frozenset({"tensor", "as_tensor", "full", "zeros", "ones", "empty", "full_like", "zeros_like", "ones_like"})
_COLUMN_MAKERS = frozenset({"unsqueeze", "unsqueeze_", "view", "reshape", "expand_dims", "atleast_2d"})
#: Names under which functions, and not methods of a value, are called.
_LIBRARIES = frozenset({"torch", "F", "nn", "np", "numpy", "pd", "pandas", "functional", "special"})
_CASTS = frozenset({"float", "double", "half", "bfloat16", "int", "short", "byte", "char", "bool"})


def remedy(
    step: Step,
    symptom: str,
    columns: tuple[str, ...] = (),
    *,
    missing: bool = False,
    logarithms: bool = False,
    axis: int = 1,
) -> Fix | None:
    """What to write at the guilty line instead, if that can be told.

    `logarithms` are what the loss wants, along `axis` its classes.
    """
    node = step.guilty
    if node is None:
        return None
    place = Place(step.file, step.line, step.code)
    if symptom in _WHOLE:
        return _whole(node, place, columns, missing=missing)
    if symptom == "non-finite" and called_name_of(node).startswith("read_"):
        column = columns[0] if columns else "label"
        title = f'decide what a missing "{column}" means where the table is read'
        return Fix(title, Safety.CHANGES_VALUES, f"{ast.unparse(node)}.dropna(subset=[{column!r}])", "", None, place)
    if symptom == "non-finite" and called_name_of(node) in {"log", "log2", "log10"}:
        return _by(place, "log_softmax has no logarithm of zero or less", "log_softmax(scores, dim=1)")
    if symptom in {"probabilities", "scores"}:
        return _meaning(node, symptom, place, logarithms=logarithms, axis=axis)
    if symptom == "size":
        counted = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
        code = ast.unparse(node.left) if isinstance(node, ast.BinOp) and counted else f"{ast.unparse(node)} + 1"
        return _by(place, "labels count from 0: the largest is one less than there are classes", code)
    if symptom == "column" and not (called_name_of(node) in _COLUMN_MAKERS or isinstance(node, ast.Subscript)):
        return None
    if symptom == "one-hot" and called_name_of(node) not in {"one_hot", "get_dummies"}:
        return None
    if symptom in {"column", "one-hot"} and isinstance(node, ast.Call | ast.Subscript):
        return _by(place, f"make no {symptom} here", _without_call(node))
    return None


def _meaning(node: ast.expr, symptom: str, place: Place, *, logarithms: bool, axis: int) -> Fix | None:
    """The model's output means something else than the loss takes it for."""
    if symptom == "probabilities" and logarithms:
        return _logarithm(node, place)
    if called_name_of(node) in {"log_softmax", "LogSoftmax"}:
        return None  # along the wrong axis: the finding itself says which is right
    if called_name_of(node)[:1].isupper():
        return _layer(node, symptom, place, axis)
    if symptom == "probabilities":
        return _by(place, "the loss wants scores; leave out the softmax or sigmoid", _without_call(node))
    return _by(place, "the loss wants log-probabilities", f"F.log_softmax({ast.unparse(node)}, dim={axis})")


def _logarithm(node: ast.expr, place: Place) -> Fix | None:
    """The softmax, with the logarithm that the loss wants: the same call under another name."""
    twin = {"softmax": "log_softmax", "Softmax": "LogSoftmax"}.get(called_name_of(node))
    if twin is None or not isinstance(node, ast.Call):
        return None
    call = copy.copy(node)
    if isinstance(node.func, ast.Attribute):
        call.func = ast.Attribute(node.func.value, twin, node.func.ctx)
    else:
        call.func = ast.Name(twin)
    return _by(place, "the loss wants log-probabilities", ast.unparse(call))


def _layer(node: ast.expr, symptom: str, place: Place, axis: int) -> Fix:
    """The fault is a layer of the model: one too many at its end, or one too few."""
    layer = ast.unparse(node)
    if symptom == "probabilities":
        return _by(place, f"the loss wants scores: let the model end before {layer}", "")
    code = f"{layer}, nn.LogSoftmax(dim={axis})"
    return _by(place, "the loss wants log-probabilities: let the model end in them", code)


def _whole(node: ast.expr, place: Place, columns: tuple[str, ...], *, missing: bool) -> Fix | None:
    """The label should have been an integer."""
    name = called_name_of(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        whole = copy.copy(node)
        whole.op = ast.FloorDiv()
        return _by(place, "divide whole numbers", ast.unparse(whole))
    if not isinstance(node, ast.Call):
        return _row(node, place)
    if name.startswith("read_"):
        return _read(node, place, columns, missing=missing)
    if name in {"Tensor", "FloatTensor", "DoubleTensor"}:
        inside = ", ".join(map(ast.unparse, node.args))
        return _by(place, "torch.Tensor is always float32; name the dtype", f"torch.tensor({inside}, dtype=torch.long)")
    if name in _CASTS and isinstance(node.func, ast.Attribute) and not node.args:
        return _by(place, f"leave the label as it is: no .{name}()", ast.unparse(node.func.value))
    if name == "float" and node.args:
        return _by(place, "keep the label whole", f"int({ast.unparse(node.args[0])})")
    if name in {"astype", "to", "type", "array", "asarray"} or name in _MAKERS:
        return _with_dtype(node, name, place)
    return None


def _row(node: ast.expr, place: Place) -> Fix | None:
    """A row of a mixed frame: read the column, then the row."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr in {"iloc", "loc"}:
        frame, row = ast.unparse(node.value.value), ast.unparse(node.slice)
        title = "a row of columns of different dtypes is float; take the column first"
        return _by(place, title, f'{frame}["label"].iloc[{row}]')
    return None


def _read(node: ast.Call, place: Place, columns: tuple[str, ...], *, missing: bool) -> Fix:
    column = columns[0] if columns else "label"
    dtype = "Int64" if missing else "int64"
    words = [
        *map(ast.unparse, node.args),
        *(ast.unparse(word) for word in node.keywords),
        f'dtype={{"{column}": "{dtype}"}}',
    ]
    code = f"{ast.unparse(node.func)}({', '.join(words)})"
    if missing:
        title = f'read "{column}" as nullable integers, then drop or fill what is missing'
        return Fix(title, Safety.CHANGES_VALUES, code, "what a missing label means is a decision", None, place)
    return _by(place, f'read "{column}" as integers', code)


def _with_dtype(node: ast.Call, name: str, place: Place) -> Fix | None:
    """The same call with the dtype of class indices."""
    home = ast.unparse(node.func).partition(".")[0]
    wanted = "torch.long" if home == "torch" or name in {"to", "type"} else "np.int64" if home == "np" else '"int64"'
    if name in {"astype", "to", "type"}:
        if dtype_named(node) is None:
            return None
        return _by(place, "keep the label whole", f"{ast.unparse(node.func)}({wanted})")
    words = [*map(ast.unparse, node.args)]
    words += [ast.unparse(word) for word in node.keywords if word.arg != "dtype"]
    title = "name the dtype of class indices" if dtype_named(node) is None else "let the dtype be that of class indices"
    return _by(place, title, f"{ast.unparse(node.func)}({', '.join([*words, f'dtype={wanted}'])})")


def _by(place: Place, title: str, code: str) -> Fix:
    """A fix at a line: it changes what the program computes, so it is for the user to make."""
    return Fix(title, Safety.CHANGES_VALUES, code, "", None, place)


def _without_call(node: ast.expr) -> str:
    """What remains of an expression when its outermost call is left out."""
    if not isinstance(node, ast.Call):
        return ""
    if not isinstance(node.func, ast.Attribute) or ast.unparse(node.func).partition(".")[0] in _LIBRARIES:
        return ast.unparse(node.args[0]) if node.args else ""
    # `scores.softmax(1)` is a method; `fn.softmax(scores, 1)` may be a function of a module of any name.
    plain = all(isinstance(word, ast.Constant | ast.UnaryOp) for word in node.args)
    return ast.unparse(node.func.value) if plain else ""


def called_name_of(node: ast.expr) -> str:
    """The last word of what is called; empty for what is no call."""
    return called_name(node) if isinstance(node, ast.Call) else ""
