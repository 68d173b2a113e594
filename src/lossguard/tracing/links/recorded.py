"""A statement that ran while the program was recorded, or in a replay: what its names held then."""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from lossguard.tracing.evidence.recordings import Recording
from lossguard.tracing.evidence.replay import Activation
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import bound, called_name, receiver_of
from lossguard.tracing.program.reaching import Definition, Scope, bindings, through_rows
from lossguard.tracing.program.sources import share_a_loop, source_of
from lossguard.tracing.program.writes import Writes
from lossguard.tracing.values.evaluating import ABSENT, UNKNOWN

_MISSING: Final = object()

_Looping = ast.stmt | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Lambda


class RecordedStatement(Statement):
    """A statement that ran in a replay."""

    def __init__(self, scope: Scope, statement: ast.stmt, activation: Activation, number: int) -> None:
        super().__init__(scope, statement)
        self.activation = activation
        self.number = number
        #: What the names hold now, where the call still stands at this statement.
        self._live: Mapping[str, Any] = {}
        #: Whether it is being found out which expression made which call; the expressions ask for that themselves.
        self._is_pairing = False

    def now(self, live: Mapping[str, Any]) -> RecordedStatement:
        """The same statement, at which the call stands now: its names are those of the live frame."""
        found = RecordedStatement(self.scope, self.statement, self.activation, self.number)
        found._live = live
        return found

    @property
    def calls(self) -> list[Activation]:
        """The calls made by all lines of this statement."""
        visits = self.activation.visits
        first = self.number
        while first > 0 and self._statement(first - 1) is self.statement:
            first -= 1
        last = self.number
        while last + 1 < len(visits) and self._statement(last + 1) is self.statement:
            last += 1
        return [call for visit in visits[first : last + 1] for call in visit.calls]

    @property
    def later_turns(self) -> list[RecordedStatement]:
        """The same statement, each time that it ran again in this call, and the one that returned."""
        later = range(self.number + 1, len(self.activation.visits))
        again = [number for number in later if self._statement(number) is self.statement]
        moments = [recorded(self.activation, number) for number in again]
        return [moment for moment in [*moments, recorded(self.activation)] if moment is not None]

    def evaluate(self, node: ast.AST) -> Any:
        """The value of an expression here; of all that a statement assigns or returns, what was seen to come out."""
        value = super().evaluate(node)
        return self._outcome() if value is UNKNOWN and node is getattr(self.statement, "value", None) else value

    def _outcome(self) -> Any:
        own, statement = self.activation, self.statement
        if not isinstance(own, Recording):
            return UNKNOWN
        if isinstance(statement, ast.Return):
            return own.returned if own.ended and self.number == len(own.visits) - 1 else UNKNOWN
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        if isinstance(target, ast.Name):
            return own.written_at(target.id, self.number)
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            owner, last = self.handle(target.value.id), math.inf
            held = own.owner.held(owner, target.attr, last) if owner is not None else []
            return next((value for call, number, value in held if (call, number) == (own, self.number)), UNKNOWN)
        return UNKNOWN

    def value(self, name: str) -> Any:
        """As it was recorded, or as it is now."""
        if name in self._live:
            return self._live[name]
        if "[" in name:
            return ABSENT
        if "." in name:
            return self._attribute(*name.split(".", 1))
        visits, own = self.activation.visits, self.activation
        before = visits[self.number].before if 0 <= self.number < len(visits) else own.arguments
        before = own.before(self.number) if isinstance(own, Recording) else before
        if name in before:
            return before[name]
        value = self.activation.globals.get(name, _MISSING)
        return getattr(builtins, name, UNKNOWN) if value is _MISSING else value

    @property
    def clock(self) -> float:
        """When this statement began to run; a replay runs after everything that was recorded."""
        own = self.activation
        return own.clocks[self.number] if isinstance(own, Recording) and self.number < len(own.clocks) else math.inf

    def _attribute(self, root: str, name: str) -> Any:
        """An attribute as it was when this statement ran; left to the object where nobody was seen to set it."""
        own = self.activation
        owner = self.handle(root) if "." not in name else None
        found = (
            own.owner.attribute(owner, name, self.clock) if isinstance(own, Recording) and owner is not None else None
        )
        return self._computed(name) if found is None else found[0]

    def _computed(self, name: str) -> Any:
        """What a property gave in this statement, if it was recorded."""
        own = [call for call in self.calls if call.code.co_name == name and isinstance(call, Recording)]
        written = any(isinstance(n, ast.Call) and called_name(n) == name for n in ast.walk(self.statement))
        return own[0].returned if len(own) == 1 and own[0].ended and not written else ABSENT

    def alterations(self, name: str) -> list[tuple[RecordedStatement, Any, Any]]:
        """The statements before this one that changed what a name holds without assigning it, the last first."""
        own = self.activation
        found: list[tuple[RecordedStatement, Any, Any]] = []
        for number, before, after in own.changes(name, self.number):
            statement = self._statement(number) if number >= 0 else None
            if statement is None or any(not definition.partial for definition in bindings(statement, name)):
                break
            found.append((RecordedStatement(self.scope, statement, own, number), before, after))
        return found

    def kinds(self, name: str) -> set[type]:
        """The types of what was written into a name at any line of this call, also of what is gone by now."""
        written = self.activation.history.get(name, []) if isinstance(self.activation, Recording) else []
        return {getattr(value, "kind", None) or type(value) for _, value in written if value is not UNKNOWN}

    def handle(self, name: str) -> Any:
        """The weak reference to what a name held, where that was recorded and may be gone by now."""
        own = self.activation
        return own.handle(name, self.number) if isinstance(own, Recording) else None

    def called(self, node: ast.Call, function: Any) -> Any:
        """What the call returned when it ran; in a loop of its own, it is not known which.

        A method whose object is gone is known by its name alone.
        """
        code, name = _code_of(function), called_name(node) if function is UNKNOWN else None
        own = [call for call in self.calls if call.code is code or call.code.co_name == name]
        if len(own) != 1 or code is None:
            own = self._made_by(node, own)
        # A generator's call gave something to go through, and not what it returned at its end.
        whole = len(own) == 1 and own[0].ended and not own[0].code.co_flags & inspect.CO_GENERATOR
        return own[0].returned if whole else UNKNOWN

    def _made_by(self, node: ast.Call, calls: list[Activation]) -> list[Activation]:
        """Those of several calls that an expression made; none while that is asked of another one of the statement."""
        if self._is_pairing:
            return []
        self._is_pairing = True
        try:
            return [call for call in calls if call_of(call, self) is node]
        finally:
            self._is_pairing = False

    def definitions(self, name: str) -> list[tuple[Definition, Statement]]:
        """The last statement that ran and assigned it."""
        found: list[tuple[Definition, Statement]] = []
        for number in range(self.number - 1, -1, -1):
            if self._is_unseen(name, number):
                return found
            statement = self._statement(number)
            if statement is None or (statement is self.statement and self._continues(number)):
                continue
            own = [*bindings(statement, name), *self._through_rows(statement, name)]
            moment = RecordedStatement(self.scope, statement, self.activation, number)
            found.extend((definition, moment) for definition in own)
            if any(not definition.partial for definition in own):
                return found
        if name in self.activation.code.co_freevars and (around := self._around()) is not None:
            return [*found, *around.definitions(name)]
        if name in self.activation.arguments:
            found.append((Definition(None, None, parameter=name), self))
        return found

    def _around(self) -> RecordedStatement | None:
        """Where the function around this one stood, in whose call it was called."""
        within, call = self.activation.code, self.activation
        while call.parent is not None and within not in call.parent.code.co_consts:
            call = call.parent
        return recorded(call.parent, call.parent_visit) if call.parent is not None else None

    def _through_rows(self, statement: ast.stmt, name: str) -> list[Definition]:
        """How a statement changes rows of `name`, over which loops around it run."""
        found: list[Definition] = []
        loop = self.scope.source.parents.get(statement)
        while isinstance(loop, ast.stmt) and loop is not self.scope.node:
            found.extend(through_rows(loop, name, statement))
            loop = self.scope.source.parents.get(loop)
        return found

    def _is_unseen(self, name: str, number: int) -> bool:
        """Whether a name was written right after a line, while nothing was recorded."""
        own = self.activation
        return isinstance(own, Recording) and own.was_written_unseen((name,), number, number + 1)

    def _continues(self, number: int) -> bool:
        """Whether the lines from `number` up to here are all of this one statement."""
        return all(self._statement(between) is self.statement for between in range(number, self.number))

    def argument(self, name: str) -> tuple[ast.expr, Statement] | None:
        """The caller's expression, from the statement that made the call."""
        caller = self._caller
        return None if caller is None else argument_of(self.activation, name, caller)

    @property
    def called_by(self) -> tuple[ast.Call, Statement] | None:
        """The caller's expression that called this function."""
        caller = self._caller
        call = None if caller is None else call_of(self.activation, caller)
        return None if caller is None or call is None else (call, caller)

    @property
    def _caller(self) -> RecordedStatement | None:
        parent = self.activation.parent
        return None if parent is None else recorded(parent, self.activation.parent_visit)

    def _statement(self, number: int) -> ast.stmt | None:
        return self.scope.source.statement_at(self.activation.visits[number].line, self.scope.node)


def recorded(activation: Activation, number: int | None = None) -> RecordedStatement | None:
    """The moment of a visit, by default the one that returned: the last but for what `with` and `finally` do then."""
    source = source_of(activation.code.co_filename)
    node = source.function_of(activation.code) if source else None
    if source is None or node is None:
        return None
    if number is None:
        last = len(activation.visits) - 1
        at = [source.statement_at(visit.line, node) for visit in activation.visits]
        number = next((each for each in range(last, -1, -1) if isinstance(at[each], ast.Return)), last)
    scope = Scope(source, node)
    if isinstance(node, ast.Lambda):
        statement = source.statement_of(node)
    else:
        statement = source.statement_at(activation.visits[number].line, node) if activation.visits else None
    return None if statement is None else RecordedStatement(scope, statement, activation, number)


def at_end(call: Activation) -> RecordedStatement | None:
    """The moment after the last statement of a recorded call."""
    last = recorded(call)
    if last is None:
        return None
    # What ran last has ended, so that this is no part of it.
    return RecordedStatement(last.scope, ast.copy_location(ast.Pass(), last.statement), call, len(call.visits))


def last_run(recording: Recording, statement: ast.stmt | None, now: ast.stmt | None) -> RecordedStatement | None:
    """A statement as it ran last; None stands for the end of a module.

    Where the recorder has stopped, the frame has gone on to `now`: what stands in a loop that ran at either time may
    have run again, and is not told.
    """
    source = source_of(recording.code.co_filename)
    node = source.function_of(recording.code) if source else None
    if source is None or node is None or isinstance(node, ast.Lambda) or not recording.visits:
        return None
    scope = Scope(source, node)
    if statement is None:
        return RecordedStatement(scope, node.body[-1], recording, len(recording.visits) - 1)
    stopped = source.statement_at(recording.visits[-1].line, node)
    for there in (now, stopped) if now is not None else ():
        if there is not None and share_a_loop(statement, there, source.parents):
            return None
    for number in range(len(recording.visits) - 1, -1, -1):
        if source.statement_at(recording.visits[number].line, node) is statement:
            written = recording.lines.get(recording.visits[number].line, Writes()).names
            again = recording.was_written_unseen(written, number, len(recording.visits))
            return None if again else RecordedStatement(scope, statement, recording, number)
    return None


def argument_of(activation: Activation, name: str, caller: Statement) -> tuple[ast.expr, Statement] | None:
    """The expression in the caller's statement that became the parameter `name`."""
    if (node := call_of(activation, caller)) is not None:
        receiver = receiver_of(node, caller.evaluate)
        # A method that is called by a name of its own, as a decorator does, is given its object.
        plain = isinstance(node.func, ast.Name) and isinstance(caller.evaluate(node.func), types.FunctionType)
        method = False if plain else None
        found = bound(node, activation.code, method=method, receiver=receiver).get(name)
        return _with(caller, None if _is_missing(found, name, caller) else found)
    for item in ast.walk(caller.statement):
        if isinstance(item, ast.Subscript) and activation.code.co_name == "__getitem__":
            second = activation.code.co_varnames[1:2]
            return _with(caller, item.slice if (name,) == second else item.value)
    return None


def call_of(activation: Activation, caller: Statement) -> ast.Call | None:
    """The expression in the caller's statement that made a recorded call; None if it is not certain."""
    calls = [node for node in ast.walk(caller.statement) if isinstance(node, ast.Call)]
    function = caller.scope.source.function_of(activation.code) if activation.code.co_name == "<lambda>" else None
    written = [node for node in calls if isinstance(function, ast.Lambda) and node.func is function]
    written = written or [node for node in calls if _entered_by(caller.evaluate(node.func)) is activation.code]
    by_name = {activation.code.co_name, "__call__"}
    written = written or [node for node in calls if called_name(node) in by_name]
    return paired(activation, written, caller.calls, caller.scope.source.parents.get)


def _is_missing(given: ast.expr | None, name: str, caller: Statement) -> bool:
    """Whether what `**entries` is known to hold has nothing for a parameter."""
    match given:
        case ast.Subscript(value=spread, slice=ast.Constant(value=key)) if key == name:
            entries = caller.evaluate(spread)
            return isinstance(entries, dict) and key not in entries
    return False


def _with(caller: Statement, node: ast.expr | None) -> tuple[ast.expr, Statement] | None:
    return None if node is None else (node, caller)


def _entered_by(callee: Any) -> types.CodeType | None:
    """The code that a call goes to; that of a class goes to its `__init__`."""
    return _code_of(inspect.getattr_static(callee, "__init__", None) if isinstance(callee, type) else callee)


def _code_of(function: Any) -> types.CodeType | None:
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None and not isinstance(function, type):
        called = vars(type(function)).get("__call__") or getattr(type(function), "forward", None)
        code = getattr(called, "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def paired(
    activation: Activation,
    written: Sequence[ast.Call],
    recorded: Sequence[Activation],
    parents: Callable[[ast.AST], ast.AST | None],
) -> ast.Call | None:
    """Of the calls of a function in a statement, that which made this activation of it; None if it is not certain.

    Calls run in the order in which they end, except in loops of their own.
    """
    nodes = sorted(written, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0))
    own = [call for call in recorded if call.code is activation.code]
    place = next((number for number, call in enumerate(own) if call is activation), None)
    if len(nodes) <= 1 or place is None:
        return nodes[0] if len(nodes) == 1 else None
    around = {id(_loop_around(node, parents)) for node in nodes}
    looped = len(around) == 1 and len(own) % len(nodes) == 0
    # Those after one that still runs have not run yet.
    running = not activation.ended and place < len(nodes)
    return nodes[place % len(nodes)] if len(nodes) == len(own) or looped or running else None


def _loop_around(node: ast.AST, parents: Callable[[ast.AST], ast.AST | None]) -> ast.AST | None:
    """The comprehension or lambda that an expression stands in."""
    current = parents(node)
    while current is not None and not isinstance(current, _Looping):
        current = parents(current)
    return None if isinstance(current, ast.stmt) else current
