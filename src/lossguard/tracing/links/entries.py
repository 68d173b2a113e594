"""One entry of a table by its name, as it was at a moment, though other entries of it were set since."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Final

from lossguard.tracing.program.reaching import Definition
from lossguard.tracing.values.evaluating import ABSENT, UNKNOWN, item_of

if TYPE_CHECKING:
    from lossguard.tracing.links.statements import ReadStatement

#: Calls that give a table whose columns hold the same values as before, if perhaps in another order.
_KEEPING: Final = frozenset({"get_dummies", "copy", "reset_index", "set_index", "sort_values", "sort_index", "assign"})
_DEEP: Final = 8


def entry(at: ReadStatement, name: str, key: str) -> Any:
    """`name["key"]` at a moment: as it is now, if it was not set since, or worked out; or ABSENT."""
    live, now = at.scene.live or {}, at.scene.now
    here = _setting(at, name, at.statement, key, _DEEP)
    if not here or at.changes(here):
        return ABSENT
    if name in live and same(here, _setting(at, name, now, key, _DEEP)):
        found = item_of(live[name], key)
        return ABSENT if found is UNKNOWN else found
    return _worked_out(at, here, key)


def _setting(at: ReadStatement, name: str, statement: ast.stmt | None, key: str, left: int) -> list[Definition]:
    """The definitions that may have set the entry, looked for through those that leave it as it is."""
    found = [d for d in at.reaching(name, statement) if not _is_other(d, key, at)]
    last = found[-1] if found and not found[-1].partial else None
    if last is None or last.statement is None or not left or not _keeps(last.value, name, key):
        return found
    return [*found[:-1], *_setting(at, name, last.statement, key, left - 1)]


def _is_other(definition: Definition, key: str, at: ReadStatement) -> bool:
    """Whether it sets other entries only: `table["other"] = ...`, `table[["one", "two"]] = ...`."""
    if definition.key is None or definition.statement is None:
        return False
    written = at.at(definition.statement).evaluate(definition.key)
    if isinstance(written, list):
        return bool(written) and all(isinstance(name, str) for name in written) and key not in written
    return isinstance(written, str) and isinstance(definition.key, ast.Constant) and written != key


def _keeps(value: ast.expr | None, name: str, key: str) -> bool:
    """Whether `name = value` gives the same table again, its entry untouched."""
    if not isinstance(value, ast.Call):
        return False
    words = {word.arg for word in value.keywords}
    func = value.func
    called = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    given = value.args[0] if called == "get_dummies" and value.args else getattr(func, "value", None)
    if not isinstance(given, ast.Name) or given.id != name or key in words:
        return False
    return called in _KEEPING or (called == "drop" and "columns" in words and "index" not in words)


def _worked_out(at: ReadStatement, here: list[Definition], key: str) -> Any:
    """From the expression that set the entry, if it did in any case."""
    first = here[0]
    if first.statement is None or first.value is None:
        return ABSENT
    value = at.at(first.statement).given_by(first)
    if not first.partial:
        return item_of(value, key) if len(here) == 1 and value is not UNKNOWN else ABSENT
    whole = isinstance(first.key, ast.Constant) and first.key.value == key and not first.grows
    return value if whole and value is not UNKNOWN and _surely_ran(first.statement, at) else ABSENT


def _surely_ran(statement: ast.stmt, at: ReadStatement) -> bool:
    """Whether a statement stands in a block that the moment's own statement stands in, or below."""
    parents = at.scope.source.parents
    around, current = parents.get(statement), parents.get(at.statement)
    while current is not None and current is not around:
        current = parents.get(current)
    return current is not None


def same(ours: list[Definition], theirs: list[Definition]) -> bool:
    """Whether these are the same definitions, in the same order."""
    return [(d.statement, d.parameter) for d in ours] == [(d.statement, d.parameter) for d in theirs]
