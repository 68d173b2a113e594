"""Back through calls: into functions that were recorded, and into those that are known as source."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Final

from lossguard.operations.table import named
from lossguard.tracing.evidence.recordings import Recording
from lossguard.tracing.evidence.replay import Activation
from lossguard.tracing.links import datasets
from lossguard.tracing.links.comprehensions import BoundStatement
from lossguard.tracing.links.datasets import applied, arranged, field_in
from lossguard.tracing.links.recognising import (
    code_of,
    fitting_calls,
    is_users_object,
    makes_object,
    operands_of,
    yielded,
)
from lossguard.tracing.links.recorded import RecordedStatement, argument_of, at_end, recorded
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.links.views import results
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, Path, bindings, dotted
from lossguard.tracing.symptoms import effects
from lossguard.tracing.symptoms.symptom import MISSING, Judgement
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.projecting import at_hand, project
from lossguard.tracing.walks.items import Items
from lossguard.tracing.walks.judging import entry_in
from lossguard.tracing.walks.steps import Chain, handed_on, is_constant

#: How many names one after the other are followed for something that was only handed on.
_NAMES: Final = 6
#: Calls that hand on what they are given, or its elements.
_PASSING: Final = named("rows", "handed-on")


class Calls(Items):
    """A walk back that goes through calls."""

    def _of_call(self, node: ast.Call, at: Statement, path: Path) -> Chain:
        callee = at.evaluate(node.func)
        if calls := fitting_calls(at, node, callee):
            return handed_on("", self._into(self._worst(calls, path), path), at)
        static = self._entered_by_source(node, callee, at, path)
        if static is not None:
            return static[0]
        if (kept := field_in(node, callee, path)) is not None:
            return self.back(kept[0], at, kept[1])
        name = called_name(node)
        if (known := self._by_name(node, name, at, path)) is not None:
            return known[0]
        if path and (through := arranged(node, name, path) or datasets.handed_through(node, path, at)) is not None:
            return self.back(through[0], at, through[1])
        if path and (row := datasets.applied_to_rows(node, path, at)) is not None:
            return self._applied_to_rows(node, row, at, path)
        if (each := applied(node, at)) is not None:
            return self._applied(node, *each, at, path)
        if makes_object(callee):
            return None
        if callbacks := self._callbacks(at):
            return handed_on("", self._into(callbacks[-1], ()), at)
        column = self._before_cut(node, at, path) or self._looked_up(node, name, at, path)
        column = column or self._of_column(node, name, at, path)
        return self._operation(node, operands_of(node, at), at, path) if column is None else column[0]

    def _by_name(self, node: ast.Call, name: str, at: Statement, path: Path) -> tuple[Chain] | None:
        """Calls of Python's and torch's own that hand on what they are given; None if it is none of them."""
        if name in _PASSING and node.args and (path or name == "next") and not self._falls_back(node, name, at):
            return (self.back(node.args[0], at, (EACH, *path) if name == "next" else path),)
        if name == "enumerate" and path[1:2] == (0,) and node.args and self.symptom.values:
            # The first number is no matter of how many there are.
            starts = len(node.args) > 1 or bool(node.keywords) or set(self.symptom.values) == {0}
            return ([self.culprit(node, at)] if starts else self._counted(node.args[0], at, _NAMES),)
        if name == "default_collate" and path and path[0] is not EACH and node.args:
            return (self.back(node.args[0], at, (EACH, *path)),)
        if name == "DataLoader" and path[:1] == (EACH,) and len(at_hand.get()) == 1:
            return (self.loaded(at_hand.get()[0][0], path[1:]),)
        return None

    def _before_cut(self, node: ast.Call, at: Statement, path: Path) -> tuple[Chain] | None:
        """Behind a cast to whole numbers: what has a bad whole part was bad before, if not in so many words."""
        uncut = self.symptom.uncut
        operands = operands_of(node, at) if uncut is not None and effects.cuts_off(node) else []
        value = project(at.evaluate(operands[0]), path) if len(operands) == 1 else UNKNOWN
        if uncut is None or value is UNKNOWN or self.is_bad(value) or uncut.judge(value) is not Judgement.BAD:
            return None
        earlier, self.symptom = self.symptom, uncut
        try:
            return (self.back(operands[0], at, path),)
        finally:
            self.symptom = earlier

    def _counted(self, items: ast.expr, at: Statement, left: int) -> Chain:
        """Things that were numbered from 0, one too many: the line that put them together."""
        if not isinstance(items, ast.Name | ast.Attribute):
            return [self.culprit(items, at)]
        found = at.definitions(dotted(items)) if dotted(items) else []
        if len(found) != 1 or not left:
            return None
        definition, moment = found[0]
        given = moment.argument(definition.parameter) if definition.parameter else (definition.value, moment)
        if given is None or given[0] is None or definition.partial or definition.path:
            return None
        return handed_on(dotted(items), self._counted(given[0], given[1], left - 1), given[1])

    def _looked_up(self, node: ast.Call, name: str, at: Statement, path: Path) -> tuple[Chain] | None:
        """An entry of a table, or what is given where there is none: `table.get(key, -1)`, `column.map(table)`."""
        if self._falls_back(node, name, at):
            return ([self.culprit(node, at)],)
        if not isinstance(node.func, ast.Attribute) or not node.args:
            return None
        if name == "map":
            table = at.evaluate(node.args[0])
            made = self.symptom.name in {*MISSING, "floating", "dtype float64"} and isinstance(table, Mapping)
            unknown = at.evaluate(node.func.value) is UNKNOWN
            # The words that are looked up are not known; but all that is in the table is good.
            return ([self.culprit(node, at)],) if made and unknown and not self.is_bad(table) else None
        table, key = at.evaluate(node.func.value), at.evaluate(node.args[0])
        if name not in {"get", "pop"} or not isinstance(table, Mapping):
            return None
        if key is not UNKNOWN:
            found = isinstance(key, Hashable) and key in table
            return (self.back(node.func.value, at, (key, *path)) if found else self._default(node, at),)
        fallback = at.evaluate(node.args[1]) if len(node.args) > 1 else None
        by_default = self.is_bad(fallback) or (fallback is None and self.symptom.name in MISSING)
        if fallback is UNKNOWN or by_default is self.is_bad(table):
            return (None,)
        return (
            self._default(node, at)
            if by_default
            else self.back(node.func.value, at, entry_in(self.symptom, table, ())),
        )

    def _default(self, node: ast.Call, at: Statement) -> Chain:
        """What `table.get(key, default)` gives where there is no such key; it may have been computed elsewhere."""
        default = node.args[1] if len(node.args) > 1 else None
        named = isinstance(default, ast.Name | ast.Attribute) and self.is_bad(at.evaluate(default))
        chain = self.back(default, at) if default is not None and named else None
        return [self.culprit(node, at)] if not chain or is_constant(chain, self.symptom) else handed_on("", chain, at)

    def _falls_back(self, node: ast.Call, name: str, at: Statement) -> bool:
        """Whether `next(items, -1)` gave its second argument, as far as is known of the items."""
        if name != "next" or len(node.args) != 2 or not self.is_bad(at.evaluate(node.args[1])):
            return False
        return not self.is_bad(at.evaluate(node.args[0]))

    def _of_column(self, node: ast.Call, name: str, at: Statement, path: Path) -> tuple[Chain] | None:
        """A column of a table that is made or joined here: it comes from the operand that is known to have it."""
        columns = path[0] if path and isinstance(path[0], list) else path[:1]
        if not columns or not all(isinstance(column, str) for column in columns):
            return None
        if name == "get_dummies":
            # The columns that it makes are zeros and ones; all others it leaves as they are.
            made = self.symptom.name not in {"non-finite", "truncated"} or not node.args
            return None if made else (self.back(node.args[0], at, path),)
        if name == "assign":
            return next(((self.back(word.value, at, path[1:]),) for word in node.keywords if word.arg == path[0]), None)
        if name not in {"DataFrame", "merge", "join"}:
            return None
        tables = [(operand, at.evaluate(operand)) for operand in operands_of(node, at)]
        having = [(operand, value) for operand, value in tables if _has_columns(value, columns)]
        if name == "DataFrame":
            # Of columns that are added later, and of words that are given numbers later, this line knows nothing.
            written = [value for _, value in tables if isinstance(value, dict)]
            words = any(self.symptom.judge(value[columns[0]]) is Judgement.NEITHER for _, value in having)
            return (None,) if (written and not having) or words else None
        if len(having) != 1:
            return None if having or any(value is UNKNOWN for _, value in tables) else (None,)
        operand, value = having[0]
        # The rows of what is joined are not those of the result.
        within = (path[0], EACH, *path[2:])
        if self.is_bad(project(value, within)):
            return (self.back(operand, at, within),)
        gaps = self.symptom.name in {*MISSING, "floating", "dtype float64"}
        return ([self.culprit(node, at)],) if gaps else None

    def _applied_to_rows(
        self, node: ast.Call, row: tuple[ast.expr, ast.expr, Path], at: Statement, path: Path
    ) -> Chain:
        """What a function makes of each row; an entry that it does not give is that of the row before."""
        function, items, within = row
        callee = at.evaluate(function)
        scene = self.world.entered(ast.Call(function, [], []), callee, at) if callee is not UNKNOWN else None
        found: list[tuple[ast.expr, Any]] = list(results(scene, each=False)) if scene is not None else []
        if isinstance(function, ast.Lambda):
            found = [(function.body, at)]
        if datasets.leaves_out(found, path[1]):
            return self.back(items, at, (EACH, *path[1:]))
        return self._applied(node, function, items, at, within)

    def _applied(self, node: ast.Call, function: ast.expr, items: ast.expr, at: Statement, path: Path) -> Chain:
        """`map(function, items)` and its kin: what the function makes of each item."""
        callee, first, rest = at.evaluate(function), path[:1], path[1:]
        if (calls := [call for call in at.calls if code_of(callee) is call.code]) != []:
            return handed_on("", self._into(self._worst(calls, rest), rest), at)
        if isinstance(function, ast.Lambda):
            return self.back(function.body, BoundStatement.of_lambda(function, items, at, first, self.is_bad), rest)
        if callee is UNKNOWN:
            return None
        element = ast.copy_location(ast.Name(id="<each>", ctx=ast.Load()), function)
        call = ast.copy_location(ast.Call(function, [element], []), function)
        known = self.world.entered(call, callee, at) is not None
        if not known and not isinstance(callee, type):
            return self._operation(node, operands_of(node, at), at, path)
        inside = BoundStatement.of_each(element, items, at, first, call, self.is_bad)
        return self._of_call(call, inside, rest) if known else self._operation(call, [element], inside, rest)

    def _callbacks(self, at: Statement) -> list[Activation]:
        """Functions of the user's that something else than this statement itself called, and that gave what is bad."""
        written = [inner for inner in ast.walk(at.statement) if isinstance(inner, ast.Call)]
        names = {called_name(inner) for inner in written} | {"__getitem__", "__call__", "forward", "__init__"}
        codes = {code_of(at.evaluate(inner.func)) for inner in written} if at.calls else set()
        foreign = [call for call in at.calls if call.code.co_name not in names and call.code not in codes]
        return [call for call in foreign if call.ended and self.is_bad(call.returned)]

    def _given(self, name: str, moment: Statement, path: Path) -> Chain:
        """What a callback was given may be what another one returned just before, as in a reduction."""
        activation = getattr(moment, "activation", None)
        parent = getattr(activation, "parent", None)
        if activation is None or parent is None or moment.argument(name) is not None:
            return super()._given(name, moment, path)
        value = activation.arguments.get(name)
        beside = parent.visits[activation.parent_visit].calls
        before = beside[: next(number for number, call in enumerate(beside) if call is activation)]
        for call in reversed(before):
            if call.ended and call.returned is value and value is not None:
                return handed_on("", self._into(call, path), moment)
        return super()._given(name, moment, path)

    def _entered_by_source(self, node: ast.Call, callee: Any, at: Statement, path: Path) -> tuple[Chain] | None:
        """Into a function of the user's that is only known as source; None if it is none of his."""
        scene = self.world.entered(node, callee, at)
        if scene is None:
            return None
        each = bool(path) and (path[0] is EACH or isinstance(path[0], int))
        found = results(scene, each=True) if each else []
        rest = path[1:] if found else path
        return (handed_on("", self._one_of(found or results(scene, each=False), rest), at),)

    def _iterated(self, value: Any, path: Path) -> Chain:
        """A loop over an object of the user's with an `__iter__` of its own."""
        function = getattr(type(value), "__iter__", None) if is_users_object(value) else None
        scene = self.world.function(function, {}, {"self": value}) if function is not None else None
        if scene is None:
            return None
        # An `__iter__` without a `yield` gives something else to loop over.
        each = results(scene, each=True)
        return self._one_of(each, path) if each else self._one_of(results(scene, each=False), (EACH, *path))

    def _changed(self, name: str, at: Statement, path: Path) -> Chain:
        """The statement that was seen to turn what a name holds from good to bad, without assigning it."""
        for moment, before, after in at.alterations(name):
            was, now = (project(value, path) if value is not UNKNOWN else UNKNOWN for value in (before, after))
            if was is UNKNOWN or now is UNKNOWN or not self.is_bad(now):
                return None
            if self.symptom.judge(was) is Judgement.GOOD and not bindings(moment.statement, name):
                return self._changed_by(name, moment, path)
        return None

    def _changed_by(self, name: str, moment: RecordedStatement, path: Path) -> Chain:
        """Into the call that was given what a name holds, and changed it there."""
        for call in reversed(moment.calls):
            for word in call.code.co_varnames[: call.code.co_argcount]:
                given = argument_of(call, word, moment)
                if given is None or not isinstance(given[0], ast.Name) or given[0].id != name:
                    continue
                end = at_end(call)
                inner = ast.copy_location(ast.Name(id=word, ctx=ast.Load()), given[0])
                return handed_on(name, self.back(inner, end, path), moment) if end is not None else None
        return None

    def _into(self, call: Activation, path: Path) -> Chain:
        """Into a recorded call: back from what it returned."""
        moment = recorded(call)
        if moment is None:
            return None
        node = moment.scope.node
        if isinstance(node, ast.Lambda):
            return handed_on("", self.back(node.body, moment, path), moment)
        statement = moment.statement
        result = statement.value if isinstance(statement, ast.Return) else yielded(statement)
        if result is None:
            return None
        if isinstance(statement, ast.Expr) and isinstance(call, Recording) and path:
            # What is yielded is an element of what the call gave.
            path = path[1:]
        return handed_on("", self.back(result, moment, path), moment)

    def _worst(self, calls: list[Activation], path: Path) -> Activation:
        """Of several recorded calls the one that gave something bad."""
        for call in calls:
            part = project(call.returned, path)
            if part is not UNKNOWN and self.symptom.judge(part) is Judgement.BAD:
                return call
        return calls[0]


def _has_columns(value: Any, names: Iterable[str]) -> bool:
    own = value if isinstance(value, dict) else list(getattr(value, "columns", ()))
    return all(name in own for name in names)
