"""What an operation does to a symptom when the values of its operands are not known: makes it or keeps it."""

from __future__ import annotations

import ast
from enum import Enum
from typing import Final

from lossguard.contracts.dtypes import ARRAY_CODES, PYTHON_WORDS, WORDS
from lossguard.operations.roles import (
    CASTING,
    CASTING_COLUMNS,
    CASTING_SCORES,
    DRAWING,
    ENTRIES,
    MOVING,
    RANGES,
    RANKING,
    WHOLE_CLASSES,
)
from lossguard.operations.table import dtype_of, named
from lossguard.tracing.program.binding import called_name


class Effect(Enum):
    """What an operation does to a symptom."""

    MAKES = "makes"
    KEEPS = "keeps"
    #: A value comes into being here: read from a file, drawn, loaded.
    CREATES = "bears"


MAKES, KEEPS, CREATES = Effect.MAKES, Effect.KEEPS, Effect.CREATES

#: Calls that give the numbers that they are given.
SAME_NUMBERS: Final = named("values", "same")
#: Layers after which scores are scores, and what had a range has it no longer.
LINEAR: Final = named("meaning", "linear", home="layer")
_FLOATING: Final = named("dtype", "float")
_PASSING: Final = named("meaning", "kept", home="layer") | LINEAR
_READING: Final = ("read", "load", "open", "fetch", "genfromtxt", "fromfile", "from_csv", "from_json", "from_pickle")


#: What only the last step of a model is bad for: what it was given lies in no range that matters.
OF_OUTPUTS: Final = frozenset({"scores", "unsquashed", "negative"})
#: Calls that make numbers of their own out of many.
_MIXING: Final = named("values", "mixed")


def _of_output(node: ast.expr) -> Effect | None:
    """A step of a model outside of its layers; None for a plain sum or product, which may only scale."""
    if isinstance(node, ast.Call):
        name = called_name(node)
        return MAKES if name in _MIXING else KEEPS if name in SAME_NUMBERS | CASTING_SCORES else None
    if not isinstance(node, ast.BinOp):
        return None
    # A sum of two things is as large as it likes; one with a number only moves what was there.
    added = isinstance(node.op, ast.Add | ast.Sub) and not any(
        isinstance(part, ast.Constant) for part in (node.left, node.right)
    )
    return MAKES if added or isinstance(node.op, ast.MatMult) else None


def effect_of(node: ast.expr, symptom: str, layer: str = "") -> Effect | None:
    """The effect by the words alone; None if they do not tell. `layer` is the class of a module that is called."""
    if symptom in OF_OUTPUTS and layer:
        return KEEPS if layer in _PASSING else MAKES
    if symptom == "scores":
        return KEEPS if isinstance(node, ast.Call) and called_name(node) in SAME_NUMBERS | CASTING_SCORES else MAKES
    if symptom == "probabilities" and layer:
        return MAKES if layer in _MAKING["probabilities"] else KEEPS if layer in _PASSING else None
    if symptom in {"rows", "shape", "device"}:
        return _of_form(node, symptom, layer)
    if symptom in OF_OUTPUTS:
        return _of_output(node)
    if isinstance(node, ast.BinOp):
        division = isinstance(node.op, ast.Div)
        return (
            KEEPS
            if symptom == "length"
            else MAKES
            if division and symptom in {"floating", "fractional", "dtype float64"}
            else None
        )
    if isinstance(node, ast.Compare):
        return MAKES if symptom in {"dtype bool", "whole"} else None
    if not isinstance(node, ast.Call):
        return None
    name = called_name(node)
    if name.startswith(_READING):
        return CREATES
    return _of_call(node, name, symptom)


#: Layers and functions that have one row for each row that they are given.
_ROW_BY_ROW: Final = named("shape", "row-by-row")
#: Layers that give an axis the size that they were made with.
_SIZING: Final = named("meaning", "scores", home="layer")
#: Those that keep the shape to the last axis.
_ENTRY_BY_ENTRY: Final = named("shape", "entry-by-entry")


def _of_form(node: ast.expr, symptom: str, layer: str) -> Effect | None:
    """Shapes and devices: only what is sure to keep them is told by its words."""
    name = layer or (called_name(node) if isinstance(node, ast.Call) else "")
    moving = name in MOVING
    if symptom == "device":
        return None if moving else KEEPS if name in _ROW_BY_ROW | _ENTRY_BY_ENTRY else None
    if symptom == "shape" and layer in _SIZING:
        return MAKES
    return KEEPS if name in (_ENTRY_BY_ENTRY | _ROW_BY_ROW if symptom == "rows" else _ENTRY_BY_ENTRY) else None


#: Calls whose result has as many entries as were given; or one.
_AS_MANY: Final = named("axes", "as-given", "broadcast")
_REDUCING: Final = named("axes", "reduced")


def gives_one(node: ast.expr) -> bool:
    """Whether a call makes one number of all that it is given: `counts.sum()`."""
    of_value = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args
    return isinstance(node, ast.Call) and of_value and not node.keywords and called_name(node) in _REDUCING


#: Calls that make a symptom, whatever they are given.
_MAKING: Final = {
    "floating": _FLOATING,
    "fractional": named("values", "fractional"),
    "column": named("shape", "column"),
    "one-hot": named("shape", "one-hot"),
    "outside": named("values", "codes"),
    "probabilities": named("meaning", "probabilities"),
    "whole": named("dtype", "whole", "of-array"),
    "dtype bool": named("dtype", "bool"),
    "dtype float64 in a tensor": named("dtype", "of-array"),
    "not a tensor": named("kind", "no-tensor"),
    "length": named("axes", "distinct"),
    "no distribution": named("meaning", "log-probabilities"),
}
#: Numbers of their own making, whatever the numbers are that they are made from.
_NUMBERING: Final = named("values", "numbered")
#: What is given to these is sizes and bounds, which are no values yet.
_SIZED: Final = named("values", "sized")
#: What is given to these has the shape and the dtype of the result, and none of its values.
_LIKE: Final = named("values", "like")


def makes_anew(node: ast.expr, symptom: str, about: str) -> bool:
    """Whether an operation makes numbers or a dtype of its own, so that its operands are no older form of them."""
    if isinstance(node, ast.Compare):
        return about in {"dtype", "values"}
    if not isinstance(node, ast.Call):
        return False
    name = called_name(node)
    if symptom == "whole" and name in WHOLE_CLASSES:
        return True
    if symptom in {"outside", "outside 0 to 1", "class numbers"} and name in _NUMBERING:
        return not any(word.arg == "labels" and not isinstance(word.value, ast.Constant) for word in node.keywords)
    if name in _LIKE:
        # Labels are whole by right; what is made in their likeness is something else.
        return about == "values" or symptom == "whole"
    return name in _SIZED and (about == "values" or (about == "dtype" and name not in RANGES))


#: Calls whose result has the shape of an index, which has as many axes as what is picked from.
_PICKING: Final = named("axes", "picked")


def picks(node: ast.expr) -> bool:
    """Whether an expression picks entries by an index of as many axes, so that the result has an axis too many."""
    return isinstance(node, ast.Call) and called_name(node) in _PICKING


#: Calls that make truth values.
_TRUTHS: Final = named("dtype", "bool")


def joins_truths(node: ast.expr, symptom: str) -> bool:
    """Whether truth values become one label here, which none of them is by itself: `night | large`."""
    joined = isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor)
    return symptom == "dtype bool" and (joined or (isinstance(node, ast.Call) and called_name(node) in _TRUTHS))


#: Calls that give numbers another dtype.
CASTS: Final = named("dtype", "cast")


def _of_call(node: ast.Call, name: str, symptom: str) -> Effect | None:
    dtype = dtype_named(node)
    if dtype is not None and symptom == "floating":
        return MAKES if "float" in dtype else None
    if dtype is not None and symptom.startswith("dtype "):
        return MAKES if dtype == symptom.split()[1] else None
    if dtype is not None and symptom == "whole":
        return MAKES if "int" in dtype or dtype == "bool" else None
    told = symptom == "length" and any(word.arg in ENTRIES for word in node.keywords)
    if name in _MAKING.get(symptom, ()) and not told:
        return MAKES
    if symptom == "length" and name in _AS_MANY:
        return KEEPS
    if symptom == "probabilities":
        return None
    about_dtype = symptom in {"floating", "whole"} or symptom.startswith("dtype ")
    keeps = name in SAME_NUMBERS or (name in CASTS and (dtype is None or not about_dtype))
    return KEEPS if keeps else None


def makes_whole(node: ast.expr | None) -> bool:
    """Whether an expression makes whole numbers, such as those of classes: drawn, counted, or cast to be so."""
    if not isinstance(node, ast.Call):
        return False
    drawn = called_name(node) in (_NUMBERING | DRAWING) - RANKING
    return (drawn and dtype_named(node) is None) or (dtype_named(node) or "").startswith(("int", "uint"))


def makes_real(node: ast.expr) -> bool:
    """Whether an expression casts to real numbers."""
    return isinstance(node, ast.Call) and "float" in (dtype_named(node) or "")


def casts(node: ast.expr) -> bool:
    """Whether an expression gives numbers another dtype."""
    return isinstance(node, ast.Call) and (called_name(node) in CASTS or dtype_named(node) is not None)


def only_scales(node: ast.expr) -> bool:
    """Whether an expression is a product or a quotient, which is negative only if a part of it is."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div)


def cuts_off(node: ast.expr) -> bool:
    """Whether an expression casts to whole numbers and does nothing else."""
    if not isinstance(node, ast.Call) or called_name(node) not in CASTS | SAME_NUMBERS:
        return False
    plain = isinstance(node.func, ast.Name) and node.func.id == "int"
    return plain or (dtype_named(node) or "").startswith(("int", "uint"))


def dtype_named(node: ast.Call) -> str | None:
    """The dtype that a call names: `dtype=torch.float32`, `.astype("float32")`, `.to(torch.long)`, `.double()`."""
    name = called_name(node)
    if (own := dtype_of(name)) is not None and (not node.args or name.endswith("Tensor")):
        return own
    asked: list[ast.expr] = [word.value for word in node.keywords if word.arg == "dtype"]
    if name in CASTING and isinstance(node.func, ast.Attribute):
        asked.extend(node.args)
    if name in CASTING_COLUMNS and isinstance(feature := node.args[-1] if node.args else None, ast.Call):
        asked.extend(feature.args)
    for word in asked:
        found = _dtype_word(word)
        if found is not None:
            return found
    return None


def names_dtype(node: ast.expr) -> bool:
    """Whether an expression is a dtype, as it is written: `torch.float32`, `"float32"`, `float`."""
    return _dtype_word(node) is not None


def _dtype_word(node: ast.expr) -> str | None:
    word = ""
    if isinstance(node, ast.Attribute):
        word = node.attr
    elif isinstance(node, ast.Name):
        word = PYTHON_WORDS.get(node.id, node.id)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        word = PYTHON_WORDS.get(node.value, node.value).lstrip("<>=|")
    word = {**WORDS, **ARRAY_CODES}.get(word, word)
    known = word.lower().startswith(("float", "int", "uint", "bfloat")) or word == "bool"
    return word.lower() if (known and word[-1:].isdigit()) or word == "bool" else None
