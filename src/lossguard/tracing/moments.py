"""A statement at the time it ran, and what the names in it meant then.

There are two kinds. A recorded moment comes from a replay: every value is known. A read moment comes from source
alone: a value is known if its variable is still alive and was not assigned since, or if it can be worked out from
values that are.
"""

from __future__ import annotations

import ast
import builtins
import math
import types
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from lossguard.tracing.binding import bound, called_name, paired, receiver_of
from lossguard.tracing.entries import entry, same
from lossguard.tracing.evaluating import ABSENT, UNKNOWN, evaluate, undone
from lossguard.tracing.placing import same_memory
from lossguard.tracing.projecting import looped
from lossguard.tracing.reaching import Definition, Scope, bindings, dotted, through_rows
from lossguard.tracing.recordings import Recording
from lossguard.tracing.replay import Activation
from lossguard.tracing.sources import share_a_loop, source_of

_DEEP: Final = 24
_MISSING: Final = object()


class Moment:
    """A statement and what its names mean."""

    def __init__(self, scope: Scope, statement: ast.stmt) -> None:
        self.scope = scope
        self.statement = statement

    @property
    def calls(self) -> list[Activation]:
        """The calls of the user's functions that this statement made, where they were recorded."""
        return []

    def value(self, name: str) -> Any:
        """The value of `name` just before the statement."""
        raise NotImplementedError

    def definitions(self, name: str) -> list[tuple[Definition, Moment]]:
        """Where `name` may have got that value."""
        raise NotImplementedError

    def argument(self, name: str) -> tuple[ast.expr, Moment] | None:
        """The expression that the caller gave for a parameter."""
        raise NotImplementedError

    def handle(self, _name: str) -> Any:
        """The weak reference to an object that is gone by now, and was recorded; None if there is none."""
        return None

    def alterations(self, _name: str) -> list[tuple[RecordedMoment, Any, Any]]:
        """The statements that were seen to change what a name holds in place, the last first, with before and after."""
        return []

    def kinds(self, _name: str) -> set[type]:
        """The types of all values that a name was seen to hold in this call; empty if none was recorded."""
        return set()

    def defines(self, name: str) -> bool:
        """Whether `name` gets a value in this very scope."""
        return bool(self.scope.reaching(name, self.statement, lambda _: None))

    def evaluate(self, node: ast.AST) -> Any:
        """The value of an expression in this statement."""
        return evaluate(node, self)

    def called(self, node: ast.Call, function: Any) -> Any:
        """What a call of a function of the user's gives, worked out from its source."""
        return entering.get()(node, function, self)


@dataclass(slots=True, eq=False)
class Scene:
    """A function or module as source, with what is known of its values."""

    scope: Scope
    outer: Mapping[str, Any]
    #: The values of its names at `now`, if it is still alive.
    live: Mapping[str, Any] | None = None
    now: ast.stmt | None = None
    #: What is known of its names from the start, such as `self`.
    preset: Mapping[str, Any] = field(default_factory=dict)
    #: The expressions that its caller gave.
    given: Mapping[str, tuple[ast.expr, Moment]] = field(default_factory=dict)
    #: The constants that its parameters have where the caller gave nothing.
    defaults: Mapping[str, Any] = field(default_factory=dict)
    #: How to find the caller, asked only when it is needed.
    caller: Callable[[], Mapping[str, tuple[ast.expr, Moment]]] | None = None
    #: How to find the module in which an outer name is defined.
    around: Callable[[str], list[Moment]] | None = None
    #: How to find what a statement did when it ran last, where that was recorded and nothing has run since.
    recorded: Callable[[ast.stmt | None], RecordedMoment | None] | None = None
    busy: set[tuple[int, str]] = field(default_factory=set)
    #: What was worked out before.
    known: dict[tuple[int, str], Any] = field(default_factory=dict)

    def arguments(self) -> Mapping[str, tuple[ast.expr, Moment]]:
        """The caller's expressions for the parameters, as far as known."""
        if not self.given and self.caller is not None:
            self.given, self.caller = self.caller(), None
        return self.given


class ReadMoment(Moment):
    """A statement read in the source."""

    def __init__(self, scene: Scene, statement: ast.stmt) -> None:
        super().__init__(scene.scope, statement)
        self.scene = scene

    def value(self, name: str) -> Any:
        """From what is alive, or worked out from the one definition that reaches here."""
        scene = self.scene
        if name in scene.preset:
            return scene.preset[name]
        if "." in name and "[" not in name and (not scene.scope.assigns(name) or self._is_final(name)):
            return ABSENT
        key = (self._when, name)
        if key in scene.known:
            return scene.known[key]
        if key in scene.busy or len(scene.busy) > _DEEP:
            return UNKNOWN
        scene.busy.add(key)
        try:
            if name.endswith("]"):
                found = entry(self, *name[:-1].split("[", 1))
            else:
                found = self._before(name, self._value(name))
        finally:
            scene.busy.discard(key)
        if found is not UNKNOWN or not scene.busy:
            scene.known[key] = found
        return found

    @property
    def _when(self) -> int:
        """Tells this moment from the others of its scene."""
        return id(self.statement)

    def _is_final(self, name: str) -> bool:
        """Whether an attribute is not set any more between here and now."""
        here, now = self.reaching(name, self.statement), self.reaching(name, self.scene.now)
        return bool(here) and same(here, now) and not self.changes(here)

    def changes(self, found: list[Definition]) -> bool:
        """Whether what a name holds is still being filled at this statement, which stands in the loop that fills it."""
        return any(
            definition.partial
            and definition.statement is not None
            and self._when >= 0
            and definition.statement.lineno >= self.statement.lineno
            for definition in found
        )

    def _value(self, name: str) -> Any:
        scene = self.scene
        found = self.reaching(name, self.statement)
        if not found:
            return UNKNOWN if "." in name else _outer(scene, name)
        if scene.live is not None and name in scene.live and same(found, self.reaching(name, scene.now)):
            return UNKNOWN if self.changes(found) else scene.live[name]
        if len(found) != 1 or found[0].partial:
            return UNKNOWN
        definition = found[0]
        if definition.parameter:
            given = self.argument(name)
            return scene.defaults.get(name, UNKNOWN) if given is None else given[1].evaluate(given[0])
        if definition.value is None or definition.statement is None:
            return scene.outer.get(name, UNKNOWN)
        return self.at(definition.statement).given_by(definition)

    def at(self, statement: ast.stmt) -> ReadMoment:
        """Another statement of the same scene."""
        return ReadMoment(self.scene, statement)

    def given_by(self, definition: Definition) -> Any:
        """What a definition, whose statement this is, gave."""
        return UNKNOWN if definition.value is None else looped(self, definition.value, definition.path)

    def _before(self, name: str, found: Any) -> Any:
        """`found`, as it was before `name += ...` in this statement changed it in place."""
        statement, live = self.statement, (self.scene.live or {}).get(name)
        if not isinstance(statement, ast.AugAssign) or dotted(statement.target) != name or live is None:
            return found
        if not (found is live and hasattr(found, "dtype")) and same_memory(found, live) is None:
            return found
        return undone(statement.op, found, self.evaluate(statement.value))

    def definitions(self, name: str) -> list[tuple[Definition, Moment]]:
        """The definitions of the source that reach here, those of the module for a name that is not local."""
        own = self.recorded(self.statement)
        if own is not None and (exact := own.definitions(name)):
            return exact
        found = self.reaching(name, self.statement)
        if found:
            return [
                (definition, self.recorded(definition.statement) or self.at(definition.statement or self.statement))
                for definition in found
            ]
        outside = self.scene.around(name) if self.scene.around else []
        return [pair for moment in outside for pair in moment.definitions(name)]

    def recorded(self, statement: ast.stmt | None) -> RecordedMoment | None:
        """A statement of this scene as it ran last, if that was recorded."""
        return self.scene.recorded(statement) if self.scene.recorded is not None and statement is not None else None

    def argument(self, name: str) -> tuple[ast.expr, Moment] | None:
        """What the caller gave, by the call in the source."""
        return self.scene.arguments().get(name)

    def reaching(self, name: str, statement: ast.stmt | None) -> list[Definition]:
        """The definitions of `name` that may hold before a statement of this scene; None stands for its end."""
        return self.scope.reaching(name, statement, self._choose)

    def _choose(self, test: ast.expr) -> bool | None:
        """Whether a branch was taken, where its condition is a plain matter of names that do not change."""
        if any(isinstance(node, ast.Call | ast.In | ast.NotIn) for node in ast.walk(test)):
            return None
        answer = evaluate(test, _Settled(self.scene))
        return bool(answer) if isinstance(answer, bool | int | str | type(None)) else None


@dataclass(frozen=True, slots=True)
class _Settled:
    """The names of a scene as they are in the end."""

    scene: Scene

    def value(self, name: str) -> Any:
        scene = self.scene
        if name in scene.preset:
            return scene.preset[name]
        live = scene.live or {}
        return live[name] if name in live else _outer(scene, name)

    def called(self, _node: ast.Call, _function: Any) -> Any:
        return UNKNOWN


class EndMoment(ReadMoment):
    """The end of a module, after its last statement."""

    @property
    def _when(self) -> int:
        return -1

    def defines(self, name: str) -> bool:
        """Whether `name` gets a value anywhere in the module."""
        return bool(self.scope.reaching(name, None, lambda _: None))

    def recorded(self, statement: ast.stmt | None) -> RecordedMoment | None:
        """The end as it was recorded; else as before."""
        at_end = statement is self.statement and self.scene.recorded is not None
        return self.scene.recorded(None) if at_end and self.scene.recorded else super().recorded(statement)

    def reaching(self, name: str, statement: ast.stmt | None) -> list[Definition]:
        """As before, but this moment itself is the end."""
        return super().reaching(name, None if statement is self.statement else statement)


def _outer(scene: Scene, name: str) -> Any:
    if scene.live is not None and name in scene.live:
        return scene.live[name]
    value = scene.outer.get(name, _MISSING)
    return getattr(builtins, name, UNKNOWN) if value is _MISSING else value


class RecordedMoment(Moment):
    """A statement that ran in a replay."""

    def __init__(self, scope: Scope, statement: ast.stmt, activation: Activation, number: int) -> None:
        super().__init__(scope, statement)
        self.activation = activation
        self.number = number

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

    def value(self, name: str) -> Any:
        """As it was recorded."""
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

    def alterations(self, name: str) -> list[tuple[RecordedMoment, Any, Any]]:
        """The statements before this one that changed what a name holds without assigning it, the last first."""
        own = self.activation
        found: list[tuple[RecordedMoment, Any, Any]] = []
        for number, before, after in own.changes(name, self.number) if isinstance(own, Recording) else ():
            statement = self._statement(number) if number >= 0 else None
            if statement is None or any(not definition.partial for definition in bindings(statement, name)):
                break
            found.append((RecordedMoment(self.scope, statement, own, number), before, after))
        return found

    def kinds(self, name: str) -> set[type]:
        """The types of what was written into a name at any line of this call."""
        written = self.activation.history.get(name, []) if isinstance(self.activation, Recording) else []
        return {type(value) for _, value in written if value is not UNKNOWN}

    def handle(self, name: str) -> Any:
        """The weak reference to what a name held, where that was recorded and may be gone by now."""
        own = self.activation
        return own.handle(name, self.number) if isinstance(own, Recording) else None

    def called(self, node: ast.Call, function: Any) -> Any:
        """What the call returned when it ran; in a loop of its own, it is not known which."""
        code = _code_of(function)
        own = [call for call in self.calls if call.code is code] if code is not None else []
        own = own if len(own) == 1 else [call for call in own if call_of(call, self) is node]
        return own[0].returned if len(own) == 1 and own[0].ended else UNKNOWN

    def definitions(self, name: str) -> list[tuple[Definition, Moment]]:
        """The last statement that ran and assigned it."""
        found: list[tuple[Definition, Moment]] = []
        for number in range(self.number - 1, -1, -1):
            statement = self._statement(number)
            if statement is None or (statement is self.statement and self._continues(number)):
                continue
            own = [*bindings(statement, name), *self._through_rows(statement, name)]
            moment = RecordedMoment(self.scope, statement, self.activation, number)
            found.extend((definition, moment) for definition in own)
            if any(not definition.partial for definition in own):
                return found
        if name in self.activation.arguments:
            found.append((Definition(None, None, parameter=name), self))
        return found

    def _through_rows(self, statement: ast.stmt, name: str) -> list[Definition]:
        """How a statement changes rows of `name`, over which loops around it run."""
        found: list[Definition] = []
        loop = self.scope.source.parents.get(statement)
        while isinstance(loop, ast.stmt) and loop is not self.scope.node:
            found.extend(through_rows(loop, name, statement))
            loop = self.scope.source.parents.get(loop)
        return found

    def _continues(self, number: int) -> bool:
        """Whether the lines from `number` up to here are all of this one statement."""
        return all(self._statement(between) is self.statement for between in range(number, self.number))

    def argument(self, name: str) -> tuple[ast.expr, Moment] | None:
        """The caller's expression, from the statement that made the call."""
        parent = self.activation.parent
        if parent is None:
            return None
        caller = recorded(parent, self.activation.parent_visit)
        return None if caller is None else argument_of(self.activation, name, caller)

    def _statement(self, number: int) -> ast.stmt | None:
        return self.scope.source.statement_at(self.activation.visits[number].line, self.scope.node)


class LiveMoment(RecordedMoment):
    """The statement at which a recorded call stands now: its names are those of the live frame."""

    def __init__(self, of: RecordedMoment, live: Mapping[str, Any]) -> None:
        super().__init__(of.scope, of.statement, of.activation, of.number)
        self._live = live

    def value(self, name: str) -> Any:
        """As it is now."""
        return self._live[name] if name in self._live else super().value(name)


def recorded(activation: Activation, number: int | None = None) -> RecordedMoment | None:
    """The moment of a visit, by default the last: the one that returned."""
    source = source_of(activation.code.co_filename)
    node = source.function_of(activation.code) if source else None
    if source is None or node is None:
        return None
    number = len(activation.visits) - 1 if number is None else number
    scope = Scope(source, node)
    if isinstance(node, ast.Lambda):
        statement = source.statement_of(node)
    else:
        statement = source.statement_at(activation.visits[number].line, node) if activation.visits else None
    return None if statement is None else RecordedMoment(scope, statement, activation, number)


def at_end(call: Activation) -> RecordedMoment | None:
    """The moment after the last statement of a recorded call."""
    last = recorded(call)
    if last is None:
        return None
    # What ran last has ended, so that this is no part of it.
    return RecordedMoment(last.scope, ast.copy_location(ast.Pass(), last.statement), call, len(call.visits))


def last_run(recording: Recording, statement: ast.stmt | None, now: ast.stmt | None) -> RecordedMoment | None:
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
        return RecordedMoment(scope, node.body[-1], recording, len(recording.visits) - 1)
    stopped = source.statement_at(recording.visits[-1].line, node)
    for there in (now, stopped) if now is not None else ():
        if there is not None and share_a_loop(statement, there, source.parents):
            return None
    for number in range(len(recording.visits) - 1, -1, -1):
        if source.statement_at(recording.visits[number].line, node) is statement:
            return RecordedMoment(scope, statement, recording, number)
    return None


def argument_of(activation: Activation, name: str, caller: Moment) -> tuple[ast.expr, Moment] | None:
    """The expression in the caller's statement that became the parameter `name`."""
    if (node := call_of(activation, caller)) is not None:
        receiver = receiver_of(node, caller.evaluate)
        return _with(caller, bound(node, activation.code, receiver=receiver).get(name))
    for item in ast.walk(caller.statement):
        if isinstance(item, ast.Subscript) and activation.code.co_name == "__getitem__":
            second = activation.code.co_varnames[1:2]
            return _with(caller, item.slice if (name,) == second else item.value)
    return None


def call_of(activation: Activation, caller: Moment) -> ast.Call | None:
    """The expression in the caller's statement that made a recorded call; None if it is not certain."""
    calls = [node for node in ast.walk(caller.statement) if isinstance(node, ast.Call)]
    written = [node for node in calls if _code_of(caller.evaluate(node.func)) is activation.code]
    by_name = {activation.code.co_name, "__call__"}
    written = written or [node for node in calls if called_name(node) in by_name]
    return paired(activation, written, caller.calls, caller.scope.source.parents.get)


def _with(caller: Moment, node: ast.expr | None) -> tuple[ast.expr, Moment] | None:
    return None if node is None else (node, caller)


def _code_of(function: Any) -> types.CodeType | None:
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None and not isinstance(function, type):
        called = vars(type(function)).get("__call__") or getattr(type(function), "forward", None)
        code = getattr(called, "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def _nowhere(_node: ast.Call, _function: Any, _at: Moment) -> Any:
    return UNKNOWN


#: How the result of a call of the user's function is worked out.
entering: ContextVar[Callable[[ast.Call, Any, Moment], Any]] = ContextVar("entering", default=_nowhere)
