"""Back through items: of lists and arrays by their number, of frames by row and column."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lossguard.tracing.links.classes import code_of, is_data
from lossguard.tracing.links.datasets import chosen_columns
from lossguard.tracing.links.items_written import columns_in
from lossguard.tracing.links.recognising import is_indexer, keeps_axes, recorded_calls
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.reaching import EACH, Chosen, Path
from lossguard.tracing.symptoms.mismatches import OF_AXES
from lossguard.tracing.symptoms.symptom import Judgement, Symptom, described, shape_of
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.projecting import project
from lossguard.tracing.walks.entering import into, worst
from lossguard.tracing.walks.judging import judge_expression, judged_whole
from lossguard.tracing.walks.steps import Chain, agreed
from lossguard.tracing.walks.walk import Walk


def of_subscript(walk: Walk, node: ast.Subscript, at: Statement, path: Path) -> Chain:
    """An item, a slice, a column or a row."""
    base = at.evaluate(node.value)
    own = code_of(getattr(type(base), "__getitem__", None))
    calls = recorded_calls(at, "__getitem__") or [call for call in reversed(at.calls) if own and call.code is own]
    if calls and not is_data(base):
        return into(walk, worst(walk, calls, path), path)
    if walk.symptom.about == "shape" and _is_of_data(walk, node, base, path):
        return _computed_entry(walk, node, base, at) or _of_axes(walk, node, base, at)
    number = at.integer(node.slice)
    key = at.evaluate(node.slice) if number is None or isinstance(node.slice, ast.Constant) else number
    whole = judged_whole(walk.symptom, node, at, path)
    if base is not UNKNOWN and key is not UNKNOWN and not is_indexer(node.value):
        part = project(base, (key, *path))
        # A row of a frame is a series of its own: its dtype need not be the column's.
        turned = walk.symptom.judge(part) is Judgement.GOOD
        # Where all numbers are bad that are left over, those were not that were cut off.
        shortened = walk.symptom.whole and _cuts_short(key) and walk.symptom.judge(base) is Judgement.GOOD
        if whole is Judgement.BAD and (turned or shortened):
            return [walk.culprit(node, at)]
    if base is UNKNOWN and whole is Judgement.UNKNOWN and _cuts_short(key) and _begins_filled(walk, node.value, at):
        return [walk.culprit(node, at)]
    names = [] if is_indexer(node.value) or (path and isinstance(path[0], str)) else columns_in(key)
    if names:
        return _of_columns(walk, node.value, base, *chosen_columns(names, path), at)
    if is_indexer(node.value) and isinstance(node.value, ast.Attribute):
        return _row(walk, node, node.value.value, key, at, path)
    axes = key if isinstance(key, tuple) else (key,)
    some = any(isinstance(axis, slice) for axis in axes) or str(getattr(key, "dtype", "")).endswith("bool")
    if path and isinstance(path[0], str) and some:
        # Some rows of a frame: the column is that of all, the numbers of its rows are not.
        return walk.back(node.value, at, tuple(EACH if isinstance(part, int | slice) else part for part in path))
    if all(map(_is_whole, axes)):
        # Axes are added, and the others are left as they are; which part of several axes it was is no longer known.
        return walk.back(node.value, at, () if path and isinstance(path[0], tuple) else path)
    any_part = walk.symptom.whole and some and not path and walk.symptom.judge(base) is Judgement.BAD
    return walk.back(node.value, at, path if any_part else _path_through(walk, base, key, path))


def _begins_filled(walk: Walk, node: ast.expr, at: Statement) -> bool:
    """Whether what is ignored stands before the rest of a list, of which the end is cut off: `[-100] * many + rest`."""
    first = node
    while isinstance(first, ast.BinOp) and isinstance(first.op, ast.Add):
        first = first.left
    first = first.left if first is not node and isinstance(first, ast.BinOp) else first
    filled = walk.symptom.name == "ignored" and first is not node and isinstance(first, ast.List)
    return filled and judged_whole(walk.symptom, first, at, ()) is Judgement.BAD


def _computed_entry(walk: Walk, node: ast.Subscript, base: Any, at: Statement) -> Chain:
    """Behind an entry of a table whose length was computed; one that is written out is only a setting."""
    chain = walk.back(node.value, at, (at.evaluate(node.slice),)) if isinstance(base, Mapping) else None
    computed = chain and isinstance(chain[0].culprit, ast.Call | ast.BinOp | ast.ListComp | ast.DictComp)
    return chain if computed else None


def _of_axes(walk: Walk, node: ast.Subscript, base: Any, at: Statement) -> Chain:
    """A shape that a subscript may have made, or kept."""
    whole = node.value.value if isinstance(node.value, ast.Attribute) and is_indexer(node.value) else node.value
    value, judged = judge_expression(walk.symptom, whole, at, ())
    before = described(value) if judged is Judgement.GOOD else ""
    kept = judged is Judgement.UNKNOWN and walk.symptom.name in OF_AXES and _takes_rows(node)
    if judged is Judgement.BAD or kept:
        return walk.back(whole, at)
    if (ended := _cut_by_end(walk, base, at.evaluate(node.slice))) is not None:
        return walk.back_for(ended, whole, at)
    last = walk.symptom.name == "rows" and isinstance(at.evaluate(node.slice), int) and len(shape_of(base)) > 2
    return (_of_state(walk, node.value, at) if last and not before else None) or [walk.culprit(node, at, before=before)]


def _cut_by_end(walk: Walk, base: Any, key: Any) -> Symptom | None:
    """For rows up to the end of too few: where `x[288:320]` has 3 and should have 12, `x` should have had 300."""
    rows = key[0] if isinstance(key, tuple) and key else key
    if walk.symptom.uncut_from is None or not isinstance(rows, slice) or rows.stop is None or not shape_of(base):
        return None
    whole = walk.symptom.uncut_from(rows.start or 0)
    return whole if rows.stop > shape_of(base)[0] and whole.judge(base) is Judgement.BAD else None


def _of_state(walk: Walk, node: ast.expr, at: Statement) -> Chain:
    """Where the layer was made that gave a state for each of its own layers, whose rows come second, of good rows."""
    found = at.definitions(node.id) if isinstance(node, ast.Name) else []
    call, moment = (found[0][0].value, found[0][1]) if len(found) == 1 else (None, at)
    if not isinstance(call, ast.Call) or not call.args or not hasattr(moment.evaluate(call.func), "forward"):
        return None
    given, judged = judge_expression(walk.symptom, call.args[0], moment, ())
    if judged is not Judgement.GOOD:
        return None
    # Another part of what it gave may have good rows.
    site = walk.construction.made(call, moment.evaluate(call.func), moment) or (call, moment)
    return [replace(walk.culprit(*site, before=described(given)), after="", is_good=False)]


def _path_through(walk: Walk, base: Any, key: Any, path: Path) -> Path:
    """The path into what a subscript is taken of; a place in a slice is one in the whole, the first that is bad."""
    if isinstance(key, slice) and isinstance(base, list | tuple) and path[:1] == (EACH,):
        rows = range(*key.indices(len(base)))
        return (next((row for row in rows if walk.is_bad(project(base, (row, *path[1:])))), EACH), *path[1:])
    counted = isinstance(key, slice) and bool(path) and isinstance(path[0], int) and key.step in {None, 1}
    if counted and min(start := key.start or 0, path[0]) >= 0:
        return (start + path[0], *path[1:])
    if path and isinstance(path[0], Chosen) and isinstance(key, slice):
        return (EACH, *path[1:])  # rows that were chosen out of some rows
    # Which element it is may not be known, but that it is one is.
    return (EACH if key is UNKNOWN else Chosen.of(key), *path)


def _is_whole(part: Any) -> bool:
    """Whether a part of an index adds an axis or takes all of one."""
    return part is None or part is ... or (isinstance(part, slice) and part == slice(None))


def _cuts_short(key: Any) -> bool:
    """Whether a subscript cuts off the beginning or the end; between two bounds, it takes out a part."""
    last = key[-1] if isinstance(key, tuple) and key else key
    return isinstance(last, slice) and (last.start is None) is not (last.stop is None)


def _is_of_data(walk: Walk, node: ast.Subscript, base: Any, path: Path) -> bool:
    """Whether a shape may have come about by a subscript: a part of a dict or a list is what was put in."""
    # An entry of settings that are handed on, and what was spread over a call, have the length that they were given.
    inner = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str) and (path or base is UNKNOWN)
    return hasattr(base, "shape") or keeps_axes(node) or (walk.symptom.name == "length" and not inner)


def _takes_rows(node: ast.Subscript) -> bool:
    """Whether a subscript only takes some of the rows: which axes there are does not change, nor the other sizes."""
    return isinstance(node.slice, ast.Slice)


def _of_columns(walk: Walk, frame: ast.expr, base: Any, names: list[str], path: Path, at: Statement) -> Chain:
    """`frame[["one", "two"]]`: the one column there is, or else those that are bad, if they agree on one line."""
    if len(names) > 1:
        there = [name for name in names if walk.is_bad(project(base, (name, *path)))]
        there = there or [name for name in names if walk.is_bad(project(base, (name,)))]
        if not there:  # they are bad only together
            return walk.back(frame, at, (names, *path))
        names = there
    chains = [walk.back(frame, at, (name, *path)) for name in names]
    known = [chain for chain in chains if chain is not None]
    return agreed(known) if known and len(known) == len(chains) else None


def _row(walk: Walk, node: ast.Subscript, frame: ast.expr, key: Any, at: Statement, path: Path) -> Chain:
    """`frame.iloc[row]` or `frame.loc[row, column]`: the column was whole, or the row made it float."""
    if len(shape_of(at.evaluate(frame))) == 1:
        # A series has rows alone, and some of them have other numbers in it.
        return walk.back(frame, at, path if isinstance(key, int | str) else (EACH, *path[1:]))
    column = (Chosen.of(key[1]),) if isinstance(key, tuple) and len(key) == 2 else ()
    rest = path[1:] if not column and path else path
    column = column or path[:1]
    if not isinstance(key[0] if isinstance(key, tuple) and key else key, int | str):
        # Some of the rows: their numbers are not those of the frame.
        rest = tuple(EACH if isinstance(part, int | slice) else part for part in rest)
    value = project(at.evaluate(frame), column) if column else UNKNOWN
    if value is not UNKNOWN and walk.symptom.about == "dtype":
        judged = walk.symptom.judge(project(value, rest))
        if judged is Judgement.GOOD:
            return [walk.culprit(node, at, before=described(value))]
    return walk.back(frame, at, (*column, *rest) if column else (EACH, *path))
