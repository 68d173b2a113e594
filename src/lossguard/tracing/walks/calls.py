"""Back through calls: into functions of the user's, and through those of libraries by what they do."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from lossguard.operations.roles import (
    ADDING_COLUMNS,
    COLUMN,
    COLUMNS,
    GROUPING,
    IN_ROWS,
    IN_SLICES,
    NAMING,
    ROW_NUMBERS,
)
from lossguard.operations.table import named
from lossguard.tracing.evidence.replay import Activation
from lossguard.tracing.links import datasets
from lossguard.tracing.links.classes import code_of, is_data, is_users_object, makes_object
from lossguard.tracing.links.comprehensions import BoundStatement
from lossguard.tracing.links.datasets import applied, field_in
from lossguard.tracing.links.recognising import fitting_calls, moves_rows, operands_of
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.links.views import results
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, Path, dotted
from lossguard.tracing.symptoms import effects
from lossguard.tracing.symptoms.symptom import MISSING, Judgement, Symptom, by_values, described, shape_of
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.projecting import at_hand, project
from lossguard.tracing.walks.entering import entered_by_source, into, into_module, is_of_made, run_again, worst
from lossguard.tracing.walks.judging import entry_in, judged_whole
from lossguard.tracing.walks.loading import loaded
from lossguard.tracing.walks.operating import judged_by_names, operation
from lossguard.tracing.walks.steps import Chain, handed_on, is_constant
from lossguard.tracing.walks.storing import read_again
from lossguard.tracing.walks.walk import Walk

#: How many names one after the other are followed for something that was only handed on.
_NAMES: Final = 6
#: Calls that hand on what they are given, or its elements.
_PASSING: Final = named("rows", "handed-on")
#: Calls that give the entry of a table, and make it where there is none.
_SETTING: Final = named("writes", "entry")


def of_call(walk: Walk, node: ast.Call, at: Statement, path: Path) -> Chain:
    """A call: into a function of the user's, or back to what it was given."""
    callee = at.evaluate(node.func)
    if (inside := _into_users(walk, node, callee, at, path)) is not None:
        return inside[0]
    if (field := _field(walk, node, callee, at, path)) is not None:
        return field[0]
    name = called_name(node)
    if (known := _by_name(walk, node, name, at, path)) is not None:
        return known[0]
    if path and (part := _arranged(walk, node, name, at, path)) is not None:
        return part[0]
    if (written := read_again(walk, node, callee, at, path)) is not None:
        return written[0]
    if (each := applied(node, at)) is not None:
        return _applied(walk, node, *each, at, path)
    if makes_object(callee):
        return None
    if callbacks := _callbacks(walk, at):
        return handed_on("", into(walk, callbacks[-1], ()), at)
    if _wraps(walk.symptom, node, at):
        return [walk.culprit(node, at)]
    column = _before_cut(walk, node, at, path) or _looked_up(walk, node, name, at, path)
    column = column or _of_column(walk, node, name, at, path)
    return operation(walk, node, operands_of(node, at), at, path) if column is None else column[0]


def _arranged(walk: Walk, node: ast.Call, name: str, at: Statement, path: Path) -> tuple[Chain] | None:
    """Calls that put together what they are given, or do something to each row of it; None if it is none of them."""
    if (through := datasets.through_call(node, name, path, at)) is not None:
        column = project(at.evaluate(through[0]), through[1]) if name in IN_ROWS else UNKNOWN
        if walk.symptom.about == "dtype" and walk.symptom.judge(column) is Judgement.GOOD:
            return ([walk.culprit(node, at, before=described(column))],)  # a row has one dtype for all of its columns
        return (walk.back(through[0], at, through[1]),)
    if (column := datasets.column_in_joined(node, path, at)) is not None:
        # Together they have one dtype: the one that was good before got that of another here.
        good = judged_whole(walk.symptom, column[0], at, column[1]) is Judgement.GOOD
        here = walk.culprit(node, at, before=described(at.evaluate(column[0])))
        return ([here] if good else walk.back(column[0], at, column[1]),)
    if name in ROW_NUMBERS and any(at.evaluate(each) == path[0] for each in node.args[:1]):
        return ([walk.culprit(node, at)],)
    if name in ADDING_COLUMNS and isinstance(path[0], str):
        return (_added(walk, node, at, path),)
    row = datasets.applied_to_rows(node, path, at)
    return None if row is None else (_applied_to_rows(walk, node, row, at, path),)


def _field(walk: Walk, node: ast.Call, callee: Any, at: Statement, path: Path) -> tuple[Chain] | None:
    """The field of a record, as it is given or by its default; None if it is none."""
    if (kept := field_in(node, callee, path)) is not None:
        return (walk.back(kept[0], at, kept[1]),)
    default = walk.construction.default(callee, path)
    return None if default is None else (walk.back(*default, path[1:]),)


def _into_users(walk: Walk, node: ast.Call, callee: Any, at: Statement, path: Path) -> tuple[Chain] | None:
    """Into a function of the user's, as it was recorded or as source; None if it is none of his."""
    if calls := fitting_calls(at, node, callee):
        return (handed_on("", into(walk, worst(walk, calls, path), path), at, call=node),)
    if (last := _last_of_sequence(callee)) is not None:
        return (handed_on("", into_module(walk, last, at, path), at),)
    if (again := run_again(walk, node, callee, at, path)) is not None:
        return (handed_on("", into(walk, *again), at, call=node),)
    return (None,) if is_of_made(node, callee, at) else entered_by_source(walk, node, callee, at, path)


def _last_of_sequence(callee: Any) -> Any:
    """The module of the user's that a sequence of layers ends in; None if it is none of his, or no sequence."""
    last = callee
    while type(last).__name__ == "Sequential" and len(last):
        last = last[-1]
    return last if last is not callee and is_users_object(last) else None


def _by_name(walk: Walk, node: ast.Call, name: str, at: Statement, path: Path) -> tuple[Chain] | None:
    """Calls of Python's and torch's own that hand on what they are given; None if it is none of them."""
    if name in _PASSING and node.args and (path or name == "next") and not _falls_back(walk, node, name, at):
        one = (EACH, *path) if name == "next" else (EACH, *path[1:]) if moves_rows(node) else path
        return (walk.back(node.args[0], at, one),)
    if name == "enumerate" and path[1:2] == (0,) and node.args and walk.symptom.values:
        # The first number is no matter of how many there are.
        starts = len(node.args) > 1 or bool(node.keywords) or set(walk.symptom.values) == {0}
        counted = None if starts else _counted(walk, node.args[0], at, _NAMES)
        return (counted or [walk.culprit(node, at)],)
    if name in COLUMNS and isinstance(node.func, ast.Attribute) and node.args:
        table, key = at.evaluate(node.func.value), at.evaluate(node.args[0])
        if isinstance(key, str) and hasattr(table, "columns"):
            return (walk.back(node.func.value, at, (key, *path)),)
    if name in IN_SLICES and isinstance(node.func, ast.Attribute) and len(path) > 1:
        return (walk.back(node.func.value, at, path[1:]),)
    if name in GROUPING and isinstance(node.func, ast.Attribute) and path[1:2] == (1,) and len(path) > 2:
        # The rows of a group have numbers of their own.
        return (
            walk.back(node.func.value, at, tuple(EACH if isinstance(part, int | slice) else part for part in path[2:])),
        )
    if name == "default_collate" and path and path[0] is not EACH and node.args:
        return (walk.back(node.args[0], at, (EACH, *path)),)
    if name == "DataLoader" and path[:1] == (EACH,) and len(at_hand.get()) == 1:
        return (loaded(walk, at_hand.get()[0][0], path[1:]),)
    return None


def _before_cut(walk: Walk, node: ast.Call, at: Statement, path: Path) -> tuple[Chain] | None:
    """Behind a cast to whole numbers: what has a bad whole part was bad before, if not in so many words."""
    uncut = walk.symptom.uncut
    operands = operands_of(node, at) if uncut is not None and effects.cuts_off(node) else []
    if uncut is not None and uncut.whole:
        # One number of many may be the same before and after.
        path = tuple(part for part in path if isinstance(part, str))
    value = project(at.evaluate(operands[0]), path) if len(operands) == 1 else UNKNOWN
    if uncut is None or value is UNKNOWN or walk.is_bad(value) or uncut.judge(value) is not Judgement.BAD:
        return None
    walk.was_cut = True
    return (walk.back_for(uncut, operands[0], at, path),)


def _wraps(symptom: Symptom, node: ast.Call, at: Statement) -> bool:
    """Whether a cast makes what is bad of numbers that are written out and do not fit into the dtype: 156 of -100."""
    bits = (effects.dtype_named(node) or "").removeprefix("u").removeprefix("int")
    if symptom.name != "outside" or not effects.casts(node) or not bits.isdecimal():
        return False
    before = {value + turn for value in symptom.values for turn in (-(2 ** int(bits)), 2 ** int(bits))}
    unfit = replace(symptom, test=by_values(lambda numbers: sum(numbers == value for value in before) > 0))
    return any(_may_hold(unfit, operand, at, _NAMES) for operand in operands_of(node, at))


def _may_hold(symptom: Symptom, node: ast.expr, at: Statement, left: int) -> bool:
    """Whether something bad is in what an expression gives, or was put into it under any of its names."""
    value = at.evaluate(node)
    if value is not UNKNOWN or not left:
        return value is not UNKNOWN and symptom.judge(value) is Judgement.BAD
    parts: list[tuple[ast.expr | None, Statement]] = []
    match node:
        case ast.Name(id=name):
            parts = [(definition.value, moment) for definition, moment in at.definitions(name)]
        case ast.Call():
            parts = [(operand, at) for operand in operands_of(node, at)]
        case ast.BinOp(left=first, right=second):
            parts = [(first, at), (second, at)]
    return any(_may_hold(symptom, part, moment, left - 1) for part, moment in parts if part is not None)


def _counted(walk: Walk, items: ast.expr, at: Statement, left: int) -> Chain:
    """Things that were numbered from 0, one too many: the line that put them together."""
    if not isinstance(items, ast.Name | ast.Attribute):
        return [walk.culprit(items, at)]
    found = at.definitions(dotted(items)) if dotted(items) else []
    if len(found) != 1 or not left:
        return None
    definition, moment = found[0]
    given = moment.argument(definition.parameter) if definition.parameter else (definition.value, moment)
    if given is None or given[0] is None or definition.partial or definition.path:
        return None
    return handed_on(dotted(items), _counted(walk, given[0], given[1], left - 1), given[1])


def _looked_up(walk: Walk, node: ast.Call, name: str, at: Statement, path: Path) -> tuple[Chain] | None:
    """An entry of a table, or what is given where there is none: `table.get(key, -1)`, `column.map(table)`."""
    if _falls_back(walk, node, name, at):
        return ([walk.culprit(node, at)],)
    if not isinstance(node.func, ast.Attribute) or not node.args:
        return None
    if name == "map":
        table = at.evaluate(node.args[0])
        made = walk.symptom.name in {*MISSING, "floating", "dtype float64"} and isinstance(table, Mapping)
        unknown = at.evaluate(node.func.value) is UNKNOWN
        # The words that are looked up are not known; but all that is in the table is good.
        return ([walk.culprit(node, at)],) if made and unknown and not walk.is_bad(table) else None
    table, key = at.evaluate(node.func.value), at.evaluate(node.args[0])
    if name in _SETTING:
        # An entry that no other line has made was made here.
        own = walk.back(node.func.value, at, (key, *path)) if key is not UNKNOWN else None
        return (own or [walk.culprit(node, at)],)
    if name not in {"get", "pop"} or not isinstance(table, Mapping):
        return None
    if key is not UNKNOWN:
        # What is taken out of a dict is there no more, once it has been.
        found = (isinstance(key, Hashable) and key in table) or (name == "pop" and len(node.args) == 1)
        return (walk.back(node.func.value, at, (key, *path)) if found else _default(walk, node, at),)
    fallback = at.evaluate(node.args[1]) if len(node.args) > 1 else None
    by_default = walk.is_bad(fallback) or (fallback is None and walk.symptom.name in MISSING)
    if fallback is UNKNOWN or by_default is walk.is_bad(table):
        return (None,)
    return (
        _default(walk, node, at) if by_default else walk.back(node.func.value, at, entry_in(walk.symptom, table, ())),
    )


def _default(walk: Walk, node: ast.Call, at: Statement) -> Chain:
    """What `table.get(key, default)` gives where there is no such key; it may have been computed elsewhere."""
    default = node.args[1] if len(node.args) > 1 else None
    named = isinstance(default, ast.Name | ast.Attribute) and walk.is_bad(at.evaluate(default))
    chain = walk.back(default, at) if default is not None and named else None
    return [walk.culprit(node, at)] if not chain or is_constant(chain, walk.symptom) else handed_on("", chain, at)


def _falls_back(walk: Walk, node: ast.Call, name: str, at: Statement) -> bool:
    """Whether `next(items, -1)` gave its second argument, as far as is known of the items."""
    if name != "next" or len(node.args) != 2 or not walk.is_bad(at.evaluate(node.args[1])):
        return False
    return not walk.is_bad(at.evaluate(node.args[0]))


def _of_column(walk: Walk, node: ast.Call, name: str, at: Statement, path: Path) -> tuple[Chain] | None:
    """A column of a table that is made or joined here: it comes from the operand that is known to have it."""
    columns = path[0] if path and isinstance(path[0], list) else path[:1]
    if not columns or not all(isinstance(column, str) for column in columns):
        return None
    if name == "get_dummies":
        # The columns that it makes are zeros and ones; all others it leaves as they are.
        made = walk.symptom.name not in {"non-finite", "truncated"} or not node.args
        return None if made else (walk.back(node.args[0], at, path),)
    if name not in {"DataFrame", "merge", "join"}:
        return None
    tables = [(operand, at.evaluate(operand)) for operand in operands_of(node, at)]
    having = [(operand, value) for operand, value in tables if _has_columns(value, columns)]
    if name == "DataFrame":
        named: Any = next((at.evaluate(word.value) for word in node.keywords if word.arg == "columns"), None)
        known = [str(each) for each in named] if isinstance(named, list) or hasattr(named, "tolist") else []
        if columns == path[:1] and node.args and path[0] in known and len(shape_of(tables[0][1])) == 2:
            return (walk.back(node.args[0], at, (EACH, known.index(path[0]))),)
        # Of columns that are added later, and of words that are given numbers later, this line knows nothing.
        written = [value for _, value in tables if isinstance(value, dict)]
        words = any(walk.symptom.judge(value[columns[0]]) is Judgement.NEITHER for _, value in having)
        return (None,) if (written and not having) or words else None
    if len(having) != 1:
        return None if having or any(value is UNKNOWN for _, value in tables) else (None,)
    operand, value = having[0]
    # The rows of what is joined are not those of the result.
    within = (path[0], EACH, *path[2:])
    if walk.is_bad(project(value, within)):
        return (walk.back(operand, at, within),)
    gaps = walk.symptom.name in {*MISSING, "floating", "dtype float64"}
    return ([walk.culprit(node, at)],) if gaps else None


def _added(walk: Walk, node: ast.Call, at: Statement, path: Path) -> Chain:
    """A column that a call gives to a table, or another one of that table."""
    own = [word.value for word in node.keywords if word.arg == path[0]]
    own += [each for each in node.args if _name_of(each) == path[0]]
    if own and any(isinstance(part, ast.Call) and called_name(part) in COLUMN for part in ast.walk(own[0])):
        return _of_expression(walk, node, own[0], at, path)
    table = node.func.value if isinstance(node.func, ast.Attribute) else None
    if own and table is not None and (made := _made_of_table(walk, table, own[0], at, path)):
        return made[0]
    if any(isinstance(part, ast.Constant) and part.value == path[0] for each in node.args for part in ast.walk(each)):
        return walk.back(node.func.value, at, path) if isinstance(node.func, ast.Attribute) else None
    spread = [word.value for word in node.keywords if word.arg is None]
    whole = [each for each in spread if project(at.evaluate(each), path[:1]) is not UNKNOWN]
    if not own and not whole:
        return operation(walk, node, operands_of(node, at), at, path)
    return walk.back(own[0], at, path[1:]) if own else walk.back(whole[0], at, path)


def _made_of_table(walk: Walk, table: ast.expr, made: ast.expr, at: Statement, path: Path) -> tuple[Chain] | None:
    """A column that a function makes of the table that it is given to: `assign(code=lambda t: t["kind"].cat.codes)`."""
    if isinstance(made, ast.Lambda) and len(made.args.args) == 1:
        name = ast.Name(id=made.args.args[0].arg, ctx=ast.Store())
        whole = ast.copy_location(ast.List(elts=[table], ctx=ast.Load()), table)
        return (walk.back(made.body, BoundStatement(at, [(name, whole)], 0, at.evaluate(table)), path[1:]),)
    calls = [call for call in at.calls if call.code is code_of(at.evaluate(made))]
    return (handed_on("", into(walk, calls[-1], path[1:]), at),) if calls else None


def _name_of(node: ast.expr) -> Any:
    """The name of the column that an expression gives: the last that it is told, or that of its first column."""
    while isinstance(node, ast.Call):
        words = [part.value for part in node.args[:1] if isinstance(part, ast.Constant)]
        if called_name(node) in NAMING | COLUMN and words:
            return words[0]
        node = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    return None


def _of_expression(walk: Walk, node: ast.Call, made: ast.expr, at: Statement, path: Path) -> Chain:
    """What is said once to be done with columns of a table, as polars has it: back to them, if one of them is bad."""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else node
    if effects.effect_of(made, walk.symptom.name) is effects.MAKES:
        return [walk.culprit(made, at)]
    calls = [
        part for part in ast.walk(made) if isinstance(part, ast.Call) and called_name(part) in COLUMN and part.args
    ]
    names = [part.args[0].value for part in calls if isinstance(part.args[0], ast.Constant)]
    judged = {name: judged_whole(walk.symptom, owner, at, (name,)) for name in names}
    bad = [name for name, found in judged.items() if found is Judgement.BAD]
    # What has another range is sound by itself; what is computed of it here should have the right one.
    computed = walk.symptom.name == "outside 0 to 1" and any(isinstance(part, ast.BinOp) for part in ast.walk(made))
    if len(bad) == 1 and not computed:
        return walk.back(owner, at, (bad[0], *path[1:]))
    return None if (bad and not computed) or Judgement.UNKNOWN in judged.values() else [walk.culprit(made, at)]


def _applied_to_rows(
    walk: Walk, node: ast.Call, row: tuple[ast.expr, ast.expr, Path], at: Statement, path: Path
) -> Chain:
    """What a function makes of each row; an entry that it does not give is that of the row before."""
    function, items, within = row
    callee = at.evaluate(function)
    scene = walk.world.entered(ast.Call(function, [], []), callee, at) if callee is not UNKNOWN else None
    found: list[tuple[ast.expr, Any]] = list(results(scene, each=False)) if scene is not None else []
    if isinstance(function, ast.Lambda):
        found = [(function.body, at)]
    if datasets.leaves_out(found, path[1]):
        return walk.back(items, at, (EACH, *path[1:]))
    return _applied(walk, node, function, items, at, within)


def _applied(walk: Walk, node: ast.Call, function: ast.expr, items: ast.expr, at: Statement, path: Path) -> Chain:
    """`map(function, items)` and its kin: what the function makes of each item."""
    callee, first, rest = at.evaluate(function), path[:1], path[1:]
    if (calls := [call for call in at.calls if code_of(callee) is call.code]) != []:
        return handed_on("", into(walk, worst(walk, calls, rest), rest), at)
    if isinstance(function, ast.Lambda):
        chain = walk.back(function.body, BoundStatement.of_lambda(function, items, at, first, walk.is_bad), rest)
        # What it was given each time is not known; but all that there was to give is good.
        good = isinstance(items, ast.Name) and judged_by_names(walk, items, at) is Judgement.GOOD
        return [walk.culprit(node, at)] if chain is None and good and walk.symptom.name in MISSING else chain
    if callee is UNKNOWN:
        return None
    element = ast.copy_location(ast.Name(id="<each>", ctx=ast.Load()), function)
    call = ast.copy_location(ast.Call(function, [element], []), function)
    known = walk.world.entered(call, callee, at) is not None
    if (
        not known
        and not isinstance(callee, type)
        and (not path or not callable(callee) or is_data(getattr(callee, "__self__", None)))
    ):
        return operation(walk, node, operands_of(node, at), at, path)
    inside = BoundStatement.of_each(element, items, at, first, call, walk.is_bad)
    return of_call(walk, call, inside, rest) if known else operation(walk, call, [element], inside, rest)


def _callbacks(walk: Walk, at: Statement) -> list[Activation]:
    """Functions of the user's that something else than this statement itself called, and that gave what is bad."""
    written = [inner for inner in ast.walk(at.statement) if isinstance(inner, ast.Call)]
    names = {called_name(inner) for inner in written} | {"__getitem__", "__call__", "forward", "__init__"}
    codes = {code_of(at.evaluate(inner.func)) for inner in written} if at.calls else set()
    foreign = [call for call in at.calls if call.code.co_name not in names and call.code not in codes]
    return [call for call in foreign if call.ended and walk.is_bad(call.returned)]


def _has_columns(value: Any, names: Iterable[str]) -> bool:
    own = value if isinstance(value, dict) else list(getattr(value, "columns", ()))
    return all(name in own for name in names)
