"""How a symptom judges expressions: by their values, and where these are gone, by what the source tells of them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Final

from lossguard.operations.table import named
from lossguard.tracing.links.classes import has_dtype, holds_no_numbers
from lossguard.tracing.links.items_written import is_part, takes_any_dtype
from lossguard.tracing.links.recognising import carried_on, in_all_turns, is_table, moves_rows, operands_of
from lossguard.tracing.links.running import value_of
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, Chosen, Definition, Path
from lossguard.tracing.symptoms import effects
from lossguard.tracing.symptoms.symptom import MISSING, Judgement, Symptom, shape_of
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.projecting import project
from lossguard.tracing.walks.blending import taken_from

_DEEP: Final = 24
#: So many names and sums one after the other are looked through for what is not finite.
_NAMES: Final = 6
#: Calls that give several parts of what they are given.
_SPLITTING: Final = named("axes", "split")


def judge_expression(symptom: Symptom, node: ast.expr, at: Statement, path: Path) -> tuple[Any, Judgement]:
    """The part at `path` of what an expression gives, as far as it is known, and how it is judged."""
    value = value_of(node, at)
    if symptom.name in effects.OF_OUTPUTS and _is_weight(node, at):
        return value, Judgement.NEITHER
    if value is UNKNOWN and symptom.witnessed:
        value = _kept(symptom, node, at, _DEEP)
    if value is UNKNOWN and (whole := taken_from(node, at, symptom)) is not UNKNOWN:
        return whole, Judgement.GOOD
    if value is UNKNOWN:
        return value, _by_sight(symptom, node, at)
    part = project(value, path)
    part = value if part is UNKNOWN else part
    return part, symptom.judge(part)


def _is_weight(node: ast.expr, at: Statement) -> bool:
    """Whether an expression is a weight that is learned, or a part of one: it may have any size and sign."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return type(at.evaluate(node)).__name__ == "Parameter"


def _kept(symptom: Symptom, node: ast.expr, at: Statement, left: int) -> Any:
    """The value from which an expression without a known value has what is looked for, as its words tell."""
    value = at.evaluate(node)
    if value is not UNKNOWN or not left:
        return value
    if not isinstance(node, ast.Call):
        return UNKNOWN
    callee = at.evaluate(node.func)
    layer = type(callee).__name__ if hasattr(callee, "forward") else ""
    kept = effects.effect_of(node, symptom.name, layer) is effects.KEEPS
    operands = operands_of(node, at) if kept else []
    return _kept(symptom, operands[-1] if layer else operands[0], at, left - 1) if operands else UNKNOWN


def _by_sight(symptom: Symptom, node: ast.expr, at: Statement, left: int = _NAMES) -> Judgement:
    """What an expression without a known value must be."""
    if symptom.name == "non-finite" and left:
        for part, moment in carried_on(node, at):
            if judged_whole(symptom, part, moment, ()) is Judgement.BAD or (
                _by_sight(symptom, part, moment, left - 1) is Judgement.BAD
            ):
                return Judgement.BAD
    if isinstance(node, ast.Constant | ast.JoinedStr | ast.Lambda):
        return Judgement.NEITHER
    if symptom.name == "length" and effects.gives_one(node):
        return Judgement.NEITHER
    if symptom.name == "column" and isinstance(node, ast.Subscript) and isinstance(node.slice, ast.List):
        return Judgement.BAD if len(node.slice.elts) == 1 else Judgement.UNKNOWN
    if isinstance(node, ast.Name) and (kinds := at.kinds(node.id)) and all(map(holds_no_numbers, kinds)):
        return Judgement.NEITHER
    if symptom.about == "dtype" and (kinds := _kinds_behind(node, at)) and not any(map(has_dtype, kinds)):
        return Judgement.NEITHER
    if isinstance(node, ast.List | ast.Tuple) and node.elts:
        inner = [judge_expression(symptom, element, at, ())[1] for element in node.elts]
        return next((kind for kind in (Judgement.UNKNOWN, Judgement.BAD) if kind in inner), inner[0])
    return Judgement.UNKNOWN


def _kinds_behind(node: ast.expr, at: Statement) -> set[type]:
    """What a name was seen to hold of which an expression is an attribute, an item or what a method gives."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return at.kinds(node.id) if isinstance(node, ast.Name) else set()


def judged_whole(symptom: Symptom, node: ast.expr, at: Statement, path: Path) -> Judgement:
    """How the part at `path` of what an expression gives is judged, by its value alone."""
    part = part_of(symptom, at.evaluate(node), path)
    return Judgement.UNKNOWN if part is UNKNOWN else symptom.judge(part)


def part_of(symptom: Symptom, value: Any, path: Path) -> Any:
    """The part of a value at `path`; of an array that had other rows by then, the whole if that tells as much.

    All of it has the same dtype, and where no number is bad, no part of them is.
    """
    part = project(value, path)
    by_number = symptom.about == "values" and not symptom.whole and symptom.name != "probabilities"
    while part is UNKNOWN and path and (symptom.about == "dtype" or by_number) and not isinstance(path[-1], str):
        path = path[:-1]
        whole = project(value, path)
        tells = hasattr(whole, "dtype") and (not by_number or symptom.judge(whole) is Judgement.GOOD)
        part = whole if tells else UNKNOWN
    return part


def is_aligned(symptom: Symptom, node: ast.expr, at: Statement, path: Path) -> bool:
    """Whether a good series leaves gaps where it is put into a table, whose rows have other labels."""
    gaps = symptom.name in {*MISSING, "floating", "dtype float64"} and hasattr(at.evaluate(node), "index")
    return gaps and judged_whole(symptom, node, at, path) is Judgement.GOOD


def path_into(symptom: Symptom, node: ast.expr, operand: ast.expr, at: Statement, path: Path) -> Path:
    """Where in an operand the part of the result at `path` comes from; nowhere in particular in a table.

    A shape is that of the whole, so that a part of the result is no part of an operand either. What a layer gives has
    parts of its own, and so has what is split, along any axis.
    """
    by_layer = isinstance(node, ast.Call) and hasattr(at.evaluate(node.func), "forward")
    parted = by_layer or (isinstance(node, ast.Call) and called_name(node) in _SPLITTING)
    whole = symptom.about in {"shape", "kind", "device"} or parted or is_table(node, operand)
    given = at.evaluate(operand)
    numbered = bool(path) and isinstance(path[0], int) and isinstance(given, Mapping)
    columns = list(getattr(given, "columns", ()))
    if path[:1] == (EACH,) and isinstance(path[-1], int) and len(path) == 2 and 0 <= path[-1] < len(columns):
        # A column by its number, of an array that was made of a table.
        return (columns[path[-1]],)
    if moves_rows(node):
        # Which row it was is not known; which of its entries it is does not change.
        row = next((number for number, part in enumerate(path) if part is EACH or isinstance(part, int)), len(path))
        path = (*path[:row], EACH, *path[row + 1 :]) if row < len(path) else path
    if path and isinstance(path[0], Chosen) and isinstance(given, list | tuple):
        path = (EACH, *path[1:])
    many, before = (shape_of(value)[:1] for value in (at.evaluate(node), given))
    if path and isinstance(path[0], int | slice) and many and before and many != before:
        # Other rows: which of them became this one is not known.
        path = (EACH, *path[1:]) if len(path) > 1 else ()
    return () if whole or numbered else path


def entry_in(symptom: Symptom, value: Any, path: Path) -> Path:
    """The path on into an operand; of a table in which something was looked up, the entry that is bad."""
    if not isinstance(value, Mapping) or (project(value, path) is not UNKNOWN and path):
        return path
    return next(((key,) for key, item in value.items() if symptom.judge(item) is Judgement.BAD), ())


def is_output(symptom: Symptom, node: ast.expr, callee: Any) -> bool:
    """Whether a step of a model gives numbers of any size, whatever the size of what it is given."""
    layer = type(callee).__name__ if hasattr(callee, "forward") else ""
    foreign = bool(layer) and not type(callee).__module__.startswith("torch.nn.")
    made = effects.effect_of(node, symptom.name, layer) is effects.MAKES
    return made and not foreign and layer != "Sequential"


def keeps_rows(symptom: Symptom, node: ast.expr, operands: list[ast.expr], at: Statement) -> bool:
    """Whether something with bad rows was made of one thing that has as many, and may have them on another axis."""
    many = shape_of(at.evaluate(node))[:1]
    return symptom.name == "rows" and len(operands) == 1 and () != many == shape_of(at.evaluate(operands[0]))[:1]


def rules_out(symptom: Symptom, definition: Definition, moment: Statement, path: Path) -> bool:
    """Whether what this definition gave is known not to be bad, or to be another part."""
    if definition.value is None:
        return False
    if isinstance(definition.value, ast.Constant) and definition.value.value is None:
        return True
    whose = is_part(definition, moment, path)
    if whose is not None:
        return not whose
    value = project(moment.evaluate(definition.value), definition.path)
    if value is UNKNOWN and definition.partial:
        value = in_all_turns(definition.value, moment)
    if definition.grows:
        # What is added is an element, or has elements, of which the part counts that is looked at.
        part = project(value, (*definition.path, *path[1:]))
        value = value if part is UNKNOWN else part
    value = value if definition.partial else part_of(symptom, value, path)
    if definition.partial and not definition.grows and symptom.about in {"dtype", "shape"}:
        return not takes_any_dtype(definition, moment)
    if value is UNKNOWN:
        return False
    judged = symptom.judge(value)
    return judged is Judgement.GOOD or (definition.partial and judged is not Judgement.BAD)
