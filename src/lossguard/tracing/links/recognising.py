"""What kind of thing an expression or a value is, as far as a walk back needs to know."""

from __future__ import annotations

import ast
import inspect
import sys
import types
from typing import Any, Final

from lossguard.operations.roles import CONTAINERS, FILLING, FILLING_WORDS, OPTIONS
from lossguard.operations.table import named
from lossguard.paths import is_users
from lossguard.tracing.evidence.replay import Activation
from lossguard.tracing.links.recorded import call_of
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, Definition, Path, dotted
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


def name_of(definition: Definition) -> str:
    """The name whose item a definition overwrites."""
    statement = definition.statement
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    if isinstance(target, ast.Tuple | ast.List) and definition.path:
        target = target.elts[definition.path[0]]
    while isinstance(target, ast.Subscript) or (isinstance(target, ast.Attribute) and not dotted(target)):
        target = target.value
    return dotted(target).partition(".")[0] if isinstance(target, ast.expr) else ""


def is_columns(key: Any) -> bool:
    """Whether a key is a list of names, as of columns."""
    return isinstance(key, list) and bool(key) and all(isinstance(name, str) for name in key)


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


def loop_around(definition: Definition, moment: Statement) -> ast.For | None:
    """The loop whose variable is the key of `table[key] = value`."""
    parents, current = moment.scope.source.parents, definition.statement
    while isinstance(current, ast.stmt) and isinstance(definition.key, ast.Name):
        if isinstance(current, ast.For) and dotted(current.target) == definition.key.id:
            return current
        current = parents.get(current)  # type: ignore[assignment] # what is no statement ends the loop
    return None


def keys_in_turn(definition: Definition, moment: Statement) -> Any:
    """What the key of `table[key] = value` is in turn, in a loop over keys; None if it is in no loop."""
    loop = loop_around(definition, moment)
    keys = moment.evaluate(loop.iter) if loop is not None else None
    return keys if loop is None or isinstance(keys, list | tuple) else UNKNOWN


def is_part(definition: Definition, moment: Statement, path: Path) -> bool | None:
    """For `table["label"] = ...`: whether it is the part that is looked at; None if that cannot be told."""
    inner = entry_path(definition, moment, path)
    if definition.key is None or not path or inner == ():
        return None
    if inner is None:
        return False
    path = inner
    if not isinstance(path[0], str):
        # In a dict, as caches are, an entry of any key is what was put in.
        of_dict = isinstance(path[0], int | tuple) and _is_dict(definition, moment)
        key = moment.evaluate(definition.key) if of_dict else UNKNOWN
        return key == path[0] if isinstance(key, int | tuple) else None
    if (turns := keys_in_turn(definition, moment)) is not None:
        return None if turns is UNKNOWN else path[0] in turns
    key = moment.evaluate(definition.key)
    key = key[1] if isinstance(key, tuple) and len(key) == 2 else key
    return path[0] in key if is_columns(key) else key == path[0] if isinstance(key, str) else None


def _is_dict(definition: Definition, moment: Statement) -> bool:
    """Whether it is a dict in which `name[key] = value` writes."""
    nodes = ast.walk(definition.statement) if definition.statement is not None else ()
    written = [node.value for node in nodes if isinstance(node, ast.Subscript) and node.slice is definition.key]
    return bool(written) and isinstance(moment.evaluate(written[0]), dict)


def entry_path(definition: Definition, moment: Statement, path: Path) -> Path | None:
    """For `name[outer][key] = value`: where in `name[outer]` the part at `path` of `name` is; None if in another."""
    for outer in definition.around if path and isinstance(path[0], str) else ():
        key = moment.evaluate(outer)
        if not path or not isinstance(key, str):
            return path
        if key != path[0]:
            return None
        path = path[1:]
    return path


def path_within(definition: Definition, moment: Statement, path: Path) -> Path:
    """Where in the value of `table[key] = value` the part at `path` of the table is."""
    path = entry_path(definition, moment, path) or path
    key = moment.evaluate(definition.key) if definition.key is not None else UNKNOWN
    if not is_columns(key) or path[0] not in key:
        return path[1:]
    value = moment.evaluate(definition.value) if definition.value is not None else UNKNOWN
    is_array = hasattr(value, "shape") and not hasattr(value, "columns")
    return (EACH, key.index(path[0])) if is_array else path


def takes_any_dtype(definition: Definition, moment: Statement) -> bool:
    """Whether it is a data frame, a dict or a list that an item is written into; an array in one of them is none."""
    statement = definition.statement
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    if isinstance(target, ast.Subscript):
        value = moment.evaluate(target.value)
        if value is UNKNOWN and isinstance(target.value, ast.Subscript):
            return False
    else:
        name = name_of(definition)
        value = moment.value(name) if name else UNKNOWN
    return isinstance(value, dict | list) or (hasattr(value, "columns") and hasattr(value, "iloc"))


def is_empty(node: ast.expr | None) -> bool:
    """Whether an expression makes an empty container."""
    if isinstance(node, ast.List | ast.Tuple):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    return isinstance(node, ast.Call) and called_name(node) in CONTAINERS and all(map(is_empty, node.args))


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
    if code is not None and is_users(code.co_filename):
        found = [call for call in found if call.code is code]
    elif is_users_object(callee):
        found = [call for call in found if call.code.co_name in {"__call__", "forward"}]
    else:
        # An object that a call has given is called by its `__call__`, or by its `forward`.
        names = {"__call__", "forward"} if isinstance(node.func, ast.Call) else {called_name(node)}
        found = [call for call in found if call.code.co_name in names]
    return [call for call in found if call_of(call, at) in {None, node}] if len(found) > 1 else found


def code_of(function: Any) -> types.CodeType | None:
    """The code of a function or of a method."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def caller_of(callee: Any) -> Any:
    """What runs when an object of the user's is called: a module's forward, or its `__call__`."""
    return called_of(type(callee))


def called_of(kind: type) -> Any:
    """What runs when an object of this class is called."""
    return getattr(kind, "forward", None) or inspect.getattr_static(kind, "__call__", None)


def holds_no_numbers(kind: type) -> bool:
    """Whether what is of this class is a text, or an object of a library that is no data, as an encoder is."""
    if kind is str:
        return True
    return _is_librarys(kind) and not any(
        hasattr(kind, word) for word in ("__iter__", "__getitem__", "__array__", "__len__", "forward")
    )


def has_dtype(kind: type) -> bool:
    """Whether what is of this class may have a dtype, or hold what has one: no object of a library without one."""
    return hasattr(kind, "dtype") or hasattr(kind, "__getitem__") or not _is_librarys(kind)


def is_opaque(kind: type) -> bool:
    """Whether what is of this class is an object of a library that is no data: a grouping, a window, a scaler."""
    return _is_librarys(kind) and not hasattr(kind, "__array__")


def _is_librarys(kind: type) -> bool:
    home = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return isinstance(home, str) and not is_users(home)


def is_users_object(value: Any) -> bool:
    """Whether the class of `value` is written in a file of the user's."""
    if value is UNKNOWN or value is None or isinstance(value, types.ModuleType | type | types.FunctionType):
        return False
    return _is_users_class(type(value))


def _is_users_class(made: type) -> bool:
    if made.__module__ == "__main__":
        return True
    filename = getattr(sys.modules.get(made.__module__), "__file__", None)
    return isinstance(filename, str) and is_users(filename)


def makes_object(callee: Any) -> bool:
    """Whether a call makes an object of a class of the user's that is no record of its arguments: no value yet."""
    if not isinstance(callee, type) or hasattr(callee, "__dataclass_fields__") or hasattr(callee, "_fields"):
        return False
    return _is_users_class(callee)


def is_data(value: Any) -> bool:
    """Whether it is data, and no object of the user's making."""
    return value is not UNKNOWN and (hasattr(value, "dtype") or isinstance(value, list | tuple | dict))


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


def is_loader(value: Any) -> bool:
    """Whether it is a DataLoader or an iterator of one."""
    return hasattr(value, "batch_sampler") or hasattr(value, "_dataset_kind")


def is_many(value: Any) -> bool:
    """Whether it holds more than one number."""
    if isinstance(value, list | tuple | dict):
        return len(value) > 0
    shape = getattr(value, "shape", ())
    return len(shape) > 0


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
    """Whether a call fills places with what comes from a constant somewhere else."""
    plain = isinstance(found, ast.Constant) or (
        isinstance(found, ast.UnaryOp) and isinstance(found.operand, ast.Constant)
    )
    # What is made of nothing, as `Config()` is, has the default of its field.
    plain = plain or (isinstance(found, ast.Call) and not found.args and isinstance(found.func, ast.Name))
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


def is_choice(node: ast.expr, at: Statement) -> bool:
    """Whether an expression is one entry of a table of several: whoever chose it is to blame."""
    parents = at.scope.source.parents
    table = parents.get(node)
    table = parents.get(table) if isinstance(table, ast.Lambda) else table
    return isinstance(table, ast.Dict) and len(table.values) > 1 and not isinstance(parents.get(table), ast.Call)
