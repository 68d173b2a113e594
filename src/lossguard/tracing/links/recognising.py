"""What kind of thing an expression or a value is, as far as a walk back needs to know."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any, Final

from lossguard.operations.roles import FILLING, FILLING_WORDS, LENGTHS, OPTIONS
from lossguard.operations.table import named
from lossguard.paths import is_users
from lossguard.tracing.evidence.replay import Activation
from lossguard.tracing.links.classes import caller_of, code_of, is_data, is_users_object
from lossguard.tracing.links.recorded import call_of
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, Path
from lossguard.tracing.values.evaluating import UNKNOWN, truth_of
from lossguard.tracing.values.projecting import project

#: Calls whose arguments are sizes, bounds and settings.
_MAKING_ANEW: Final = named("takes", "sizes")
_MOVING_ROWS: Final = named("rows", "moved")
#: Calls whose whole numbers, after the data, are sizes and axes.
_SIZING: Final = named("takes", "data-then-sizes")
_DATA_THIRD: Final = named("takes", "data-third")
_LOOKING_UP: Final = named("values", "looked-up")
_LABELS: Final = ("label", "target", "class", "truth", "answer", "mask")
#: Short words, that may stand in longer ones by chance, as `gt` does in `length`.
_SHORT: Final = frozenset({"y", "gt", "cls"})


def carried_on(node: ast.expr, at: Statement) -> list[tuple[ast.expr, Statement]]:
    """The parts of an expression that make it not finite if they are: the summands, the factors, what a name holds."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.MatMult):
        return [(node.left, at), (node.right, at)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return [(node.left, at)]
    found = at.definitions(node.id) if isinstance(node, ast.Name) else []
    definition, moment = found[0] if len(found) == 1 else (None, at)
    if definition is None or definition.value is None or definition.partial or definition.path:
        return []
    return [(definition.value, moment)]


def branches_of(node: ast.expr, at: Statement) -> list[ast.expr]:
    """What `a if test else b` may give, conditions inside conditions too; only one, where the answer is known."""
    if not isinstance(node, ast.IfExp):
        return [node]
    answer = truth_of(at.evaluate(node.test))
    first, second = branches_of(node.body, at), branches_of(node.orelse, at)
    return [*first, *second] if answer is None else first if answer else second


def operands_of(node: ast.Call, at: Statement) -> list[ast.expr]:
    """What a call computes with: its receiver, unless that is a module, and its arguments."""
    found: list[ast.expr] = []
    if isinstance(node.func, ast.Call):
        # A function that was made by a call, as by np.vectorize: what it was made of counts.
        found.extend(operands_of(node.func, at))
    if isinstance(node.func, ast.Attribute):
        base = at.evaluate(node.func.value)
        if not isinstance(base, types.ModuleType | type):
            found.append(node.func.value)
    if called_name(node) in FILLING:
        # The first is a size, and what the rest is filled with has a dtype and a value.
        return [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "fill_value")]
    if called_name(node) in _DATA_THIRD and len(node.args) > 2:
        return [node.args[2]]
    sized = called_name(node) in _SIZING
    found.extend(argument for argument in node.args if not (sized and found and _is_size(argument, at)))
    found.extend(word.value for word in node.keywords if not _is_option(word))
    return [_holder(operand, at) for operand in found if not _is_setting(operand, at)]


def _is_option(word: ast.keyword) -> bool:
    """Whether a keyword says how something is done: a number that is written out, unless it gets into the result."""
    return word.arg in OPTIONS or (isinstance(word.value, ast.Constant) and word.arg not in FILLING_WORDS)


def _is_size(node: ast.expr, at: Statement) -> bool:
    """Whether an argument is a whole number or several: a size, an axis, a count."""
    value = at.evaluate(node)
    items = value if isinstance(value, list | tuple) else (value,)
    return value is not UNKNOWN and all(isinstance(item, int) for item in items)


def _holder(node: ast.expr, at: Statement) -> ast.expr:
    """For a method that is handed over and not called, as `codes.get` is, the data that it belongs to."""
    owner = getattr(at.evaluate(node), "__self__", None) if isinstance(node, ast.Attribute) else None
    return node.value if isinstance(node, ast.Attribute) and is_data(owner) else node


def is_table(node: ast.expr, operand: ast.expr) -> bool:
    """Whether a call looks things up in an operand: by a method that is handed over, or in the first of a `take`."""
    if not isinstance(node, ast.Call):
        return False
    given = [*node.args, *(node.func.args if isinstance(node.func, ast.Call) else [])]
    if any(isinstance(argument, ast.Attribute) and argument.value is operand for argument in given):
        return True
    first = node.func.value if isinstance(node.func, ast.Attribute) else None
    return called_name(node) in _LOOKING_UP and (operand is first or operand in given[:1])


def _is_setting(node: ast.expr, at: Statement) -> bool:
    """Whether an argument is a dtype, a device or a module, and no data."""
    value = at.evaluate(node)
    return isinstance(value, type | types.ModuleType) or type(value).__name__ in {"dtype", "device"}


def recorded_calls(at: Statement, name: str) -> list[Activation]:
    """The recorded calls of this name that a statement made."""
    return [call for call in at.calls if call.code.co_name == name]


def fitting_calls(at: Statement, node: ast.Call, callee: Any) -> list[Activation]:
    """The recorded calls that this call expression made, the last first."""
    code = code_of(callee)
    found = list(reversed(at.calls))
    if isinstance(node.func, ast.Lambda):
        found = [call for call in found if at.scope.source.function_of(call.code) is node.func]
    elif code is not None and is_users(code.co_filename):
        found = [call for call in found if call.code is code]
    elif is_users_object(callee):
        found = [call for call in found if call.code.co_name in {"__call__", "forward"}]
        # Objects of several classes may be called in one line, and several of one.
        of_class = [call for call in found if call.code is code_of(caller_of(callee))]
        found = [call for call in of_class if call.arguments.get("self") is callee] or of_class or found
    else:
        # An object that a call has given, or that is gone by now, is called by its `__call__`, or by its `forward`.
        named = [call for call in found if call.code.co_name == called_name(node) != ""]
        of_object = callee is UNKNOWN or isinstance(node.func, ast.Call)
        alone = found if callee is UNKNOWN and isinstance(node.func, ast.Name) and len(found) == 1 else []
        found = named or [call for call in found if of_object and call.code.co_name in {"__call__", "forward"}] or alone
    return [call for call in found if call_of(call, at) in {None, node}] if len(found) > 1 else found


def is_indexer(node: ast.expr) -> bool:
    """Whether an expression is `frame.iloc` or one of its kin."""
    return isinstance(node, ast.Attribute) and node.attr in {"iloc", "loc", "at", "iat"}


def keeps_axes(node: ast.Subscript) -> bool:
    """Whether a subscript takes more than one element, or adds an axis: what it gives is no part that was put in."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return any(
        isinstance(part, ast.Slice | ast.List) or (isinstance(part, ast.Constant) and part.value in {None, ...})
        for part in parts
    )


def is_many(value: Any) -> bool:
    """Whether it holds more than one number, as an image of Pillow does."""
    if isinstance(value, list | tuple | dict):
        return len(value) > 0
    if hasattr(value, "getbands"):
        return True
    shape = getattr(value, "shape", ())
    return isinstance(shape, tuple) and len(shape) > 0  # numpy itself has a function of that name


def is_made_of_sizes(node: ast.expr) -> bool:
    """Whether a call makes numbers from sizes, bounds or one number."""
    return isinstance(node, ast.Call) and called_name(node) in _MAKING_ANEW


def moves_rows(node: ast.expr) -> bool:
    """Whether a call gives rows of its operand in another order, or some of them: their numbers are not the same."""
    return isinstance(node, ast.Call) and called_name(node) in _MOVING_ROWS


def is_text_source(node: ast.expr | None) -> bool:
    """Whether an expression gives lines or parts of a text, or an image, in which there are no numbers yet."""
    if not isinstance(node, ast.Call):
        return False
    texts = all(isinstance(given, ast.Constant) and isinstance(given.value, str) for given in node.args)
    of_text = isinstance(node.func, ast.Attribute) and texts and called_name(node) in named("values", "text-of-text")
    return of_text or called_name(node) in named("values", "text")


def is_mark(node: ast.expr, at: Statement) -> bool:
    """Whether an expression is the name of a constant: what matters is where it is used, as in `mask[edge] = VOID`."""
    found = at.definitions(node.id) if isinstance(node, ast.Name) else []
    return bool(found) and all(isinstance(definition.value, ast.Constant) for definition, _ in found)


def is_filling(node: ast.expr, found: ast.expr | None) -> bool:
    """Whether a call fills places with what comes from a constant somewhere else, or from how many things there are."""
    plain = isinstance(found, ast.Constant) or (
        isinstance(found, ast.UnaryOp) and isinstance(found.operand, ast.Constant)
    )
    # What is made of nothing, as `Config()` is, has the default of its field.
    plain = plain or (isinstance(found, ast.Call) and not found.args and isinstance(found.func, ast.Name))
    plain = plain or (isinstance(found, ast.Call) and called_name(found) in LENGTHS)
    return plain and isinstance(node, ast.Call) and called_name(node) in named("values", "filled")


def of_joined(node: ast.BinOp, path: Path, at: Statement) -> tuple[ast.expr, Path]:
    """For one list after another, the list that the part at `path` comes from, and where in it; else the sum itself."""
    left = at.evaluate(node.left) if path and isinstance(node.op, ast.Add) else UNKNOWN
    if not isinstance(left, list | tuple):
        return node, path
    place = path[0]
    if not isinstance(place, int):
        return node, (EACH, *path[1:])
    if 0 <= place < len(left):
        return node.left, path
    return node.right, (place - len(left) if place > 0 else place, *path[1:])


def in_all_turns(node: ast.expr, at: Statement) -> Any:
    """What an expression in a loop gives in all turns of it, together; UNKNOWN if that cannot be told."""
    path: Path = ()
    while isinstance(node, ast.Subscript) and isinstance(key := at.evaluate(node.slice), str | int):
        node, path = node.value, (key, *path)
    found = at.definitions(node.id) if isinstance(node, ast.Name) else []
    definition, moment = found[0] if len(found) == 1 else (None, at)
    if definition is None or definition.partial or definition.value is None or definition.path[:1] != (EACH,):
        return UNKNOWN
    return project(moment.evaluate(definition.value), (*definition.path, *path))


def implied_operand(node: ast.expr, unknown: list[ast.expr], at: Statement, values: tuple[float, ...]) -> Any:
    """What the one unknown operand of a sum or a difference was, from `values` that came out of it; else UNKNOWN."""
    if not isinstance(node, ast.BinOp) or len(unknown) != 1 or not values:
        return UNKNOWN
    is_left = unknown[0] is node.left
    other = at.evaluate(node.right if is_left else node.left)
    if not isinstance(other, int | float):
        return UNKNOWN
    if isinstance(node.op, ast.Add):
        return [value - other for value in values]
    if isinstance(node.op, ast.Sub):
        return [value + other if is_left else other - value for value in values]
    return UNKNOWN


def read_in(node: ast.AST, at: Statement) -> Iterator[ast.expr]:
    """The names and attributes of `self` that an expression reads; of a table, the column where that is known."""
    column = isinstance(node, ast.Subscript) and isinstance(at.evaluate(node.slice), str)
    if isinstance(node, ast.Subscript) and column and is_many(at.evaluate(node)):
        yield node
        return
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    if (
        isinstance(node, ast.Name | ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and (own or not hasattr(node, "attr"))
    ):
        yield node
    for part in ast.iter_child_nodes(node):
        yield from read_in(part, at)


def is_number(node: ast.expr, at: Statement) -> bool:
    """Whether an expression is a plain number, or a name that has held nothing else in the turns that were seen."""
    value = at.evaluate(node)
    kinds = at.kinds(node.id) if value is UNKNOWN and isinstance(node, ast.Name) else {type(value)}
    return bool(kinds) and all(issubclass(kind, int | float) for kind in kinds)


def reads_like_label(node: ast.expr) -> bool:
    """Whether the words of an expression speak of labels."""
    words = [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]
    words += [inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)]
    words += [str(inner.value) for inner in ast.walk(node) if isinstance(inner, ast.Constant)]
    parts = {part for word in words for part in word.lower().split("_")}
    return not _SHORT.isdisjoint(parts) or any(mark in word.lower() for word in words for mark in _LABELS)


def yielded(statement: ast.stmt) -> tuple[ast.expr, Path] | None:
    """What a statement yields, if it does: an expression, and the path in it."""
    given = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(given, ast.YieldFrom):
        return given.value, (EACH,)
    return (given.value, ()) if isinstance(given, ast.Yield) and given.value is not None else None


def is_cut(node: ast.expr) -> bool:
    """Whether an expression takes some elements or rows of something, and no column or entry by its name."""
    keys = [part.slice for part in ast.walk(node) if isinstance(part, ast.Subscript)]
    return not all(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in keys)


def is_choice(node: ast.expr, at: Statement) -> bool:
    """Whether an expression is one entry of a table of several: whoever chose it is to blame."""
    parents = at.scope.source.parents
    table = parents.get(node)
    table = parents.get(table) if isinstance(table, ast.Lambda) else table
    return isinstance(table, ast.Dict) and len(table.values) > 1 and not isinstance(parents.get(table), ast.Call)
