"""A statement at the time it ran, and what the names in it meant then.

There are two kinds. A recorded moment comes from a replay: every value is known. A read moment comes from source
alone: a value is known if its variable is still alive and was not assigned since, or if it can be worked out from
values that are.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections import deque
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lossguard.operations.roles import LOADERS, NUMBERING, PAIRING, PROGRESS
from lossguard.tracing.evidence.replay import Activation
from lossguard.tracing.links.entries import entry, same
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, Definition, Path, Scope, bindings, dotted
from lossguard.tracing.program.sources import share_a_loop
from lossguard.tracing.values.evaluating import ABSENT, UNKNOWN, evaluate
from lossguard.tracing.values.placing import same_memory
from lossguard.tracing.values.projecting import at_hand, project

if TYPE_CHECKING:
    from lossguard.tracing.links.recorded import RecordedStatement

#: A definition, and the statement in which it is evaluated.
Defined = tuple[Definition, "Statement"]
_DEEP: Final = 24
_MISSING: Final = object()


class Statement:
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

    def definitions(self, name: str) -> list[tuple[Definition, Statement]]:
        """Where `name` may have got that value."""
        raise NotImplementedError

    def argument(self, name: str) -> tuple[ast.expr, Statement] | None:
        """The expression that the caller gave for a parameter."""
        raise NotImplementedError

    def handle(self, _name: str) -> Any:
        """The weak reference to an object that is gone by now, and was recorded; None if there is none."""
        return None

    def alterations(self, _name: str) -> list[tuple[RecordedStatement, Any, Any]]:
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

    def integer(self, node: ast.AST) -> int | None:
        """The whole number that an expression gives; None if it gives something else."""
        value = self.evaluate(node)
        plain = hasattr(type(value), "__index__") and not isinstance(value, type)
        return int(value) if plain and getattr(value, "shape", ()) == () else None

    def called(self, node: ast.Call, function: Any) -> Any:
        """What a call of a function of the user's gives, worked out from its source."""
        return entering.get()(node, function, self)


@dataclass(slots=True, eq=False)
class FunctionView:
    """A function or module as source, with what is known of its values."""

    scope: Scope
    outer: Mapping[str, Any]
    #: The values of its names at `now`, if it is still alive.
    live: Mapping[str, Any] | None = None
    now: ast.stmt | None = None
    #: What is known of its names from the start, such as `self`.
    preset: Mapping[str, Any] = field(default_factory=dict)
    #: The expressions that its caller gave.
    given: Mapping[str, tuple[ast.expr, Statement]] = field(default_factory=dict)
    #: The constants that its parameters have where the caller gave nothing.
    defaults: Mapping[str, Any] = field(default_factory=dict)
    #: How to find the caller, asked only when it is needed.
    caller: Callable[[], Mapping[str, tuple[ast.expr, Statement]]] | None = None
    #: How to find the module in which an outer name is defined.
    around: Callable[[str], list[Statement]] | None = None
    #: How to find what a statement did when it ran last, where that was recorded and nothing has run since.
    recorded: Callable[[ast.stmt | None], RecordedStatement | None] | None = None
    busy: set[tuple[int, str]] = field(default_factory=set)
    #: What was worked out before.
    known: dict[tuple[int, str], Any] = field(default_factory=dict)

    def arguments(self) -> Mapping[str, tuple[ast.expr, Statement]]:
        """The caller's expressions for the parameters, as far as known."""
        if not self.given and self.caller is not None:
            self.given, self.caller = self.caller(), None
        return self.given


class ReadStatement(Statement):
    """A statement read in the source."""

    def __init__(
        self, scene: FunctionView, statement: ast.stmt, *, earlier: bool = False, at_end: bool = False
    ) -> None:
        super().__init__(scene.scope, statement)
        self.scene = scene
        #: Whether this is the end of a module or a function, after its last statement.
        self._at_end = at_end
        #: Whether it ran in an earlier turn of a loop: what its names held then is not known.
        self._earlier = earlier

    def value(self, name: str) -> Any:
        """From what is alive, or worked out from the one definition that reaches here."""
        scene = self.scene
        if name in scene.preset:
            return scene.preset[name]
        if "." in name and "[" not in name and (not scene.scope.assigns(name) or self._is_final(name)):
            return ABSENT
        if self._earlier and self._changes_by_turns(name):
            return UNKNOWN
        key = (self._when, f"earlier {name}" if self._earlier else name)
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
        return -1 if self._at_end else id(self.statement)

    def _is_final(self, name: str) -> bool:
        """Whether an attribute is not set any more between here and now."""
        here, now = self.reaching(name, self.statement), self.reaching(name, self.scene.now)
        root, _, attribute = name.partition(".")
        held = getattr((self.scene.live or {}).get(root), "__dict__", {}).get(attribute)
        filled = any(definition.grows for definition in here) and held is not None and not is_filled(held)
        return filled or (same(here, now) and not self.changes(here))

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
            changed = self.changes(found) and is_filled(scene.live[name])
            return UNKNOWN if changed else scene.live[name]
        if len(found) != 1 or found[0].partial:
            return UNKNOWN
        definition = found[0]
        if definition.parameter:
            given = self.argument(name)
            value = scene.defaults.get(name, UNKNOWN) if given is None else given[1].evaluate(given[0])
            return self._kept(name) if value is UNKNOWN else value
        if definition.value is None or definition.statement is None:
            return scene.outer.get(name, _loaded(definition.statement, name))
        return self.at(definition.statement).given_by(definition)

    def _kept(self, name: str) -> Any:
        """An object, no data, that a method was given and keeps in an attribute: `self.settings = settings`."""
        owner = self.scene.preset.get("self")
        body = self.scope.node.body if isinstance(self.scope.node, ast.FunctionDef) else []
        for statement in body if hasattr(owner, "__dict__") else ():
            match statement:
                case ast.Assign([ast.Attribute(ast.Name("self"), attribute)], ast.Name(id=given)) if given == name:
                    kept = vars(owner).get(attribute, UNKNOWN)
                    return UNKNOWN if hasattr(kept, "shape") or not hasattr(kept, "__dict__") else kept
        return UNKNOWN

    def at(self, statement: ast.stmt) -> ReadStatement:
        """Another statement of the same scene."""
        return ReadStatement(self.scene, statement, earlier=self._earlier)

    def _changes_by_turns(self, name: str) -> bool:
        """Whether a loop around this statement gives a name its value."""
        found = [definition.statement for definition in self.reaching(name, self.statement)]
        parents = self.scope.source.parents
        return any(other is not None and share_a_loop(other, self.statement, parents) for other in found)

    def in_an_earlier_turn(self) -> ReadStatement:
        """The same statement as it ran before."""
        return ReadStatement(self.scene, self.statement, earlier=True)

    def given_by(self, definition: Definition) -> Any:
        """What a definition, whose statement this is, gave."""
        return UNKNOWN if definition.value is None else looped(self, definition.value, definition.path)

    def _before(self, name: str, found: Any) -> Any:
        """`found`, as it was before this statement assigned it, in an earlier turn of a loop or by `name += ...`."""
        statement, live = self.statement, (self.scene.live or {}).get(name)
        ran = self._when >= 0 and statement is not self.scene.now and live is not None
        if ran and found is live and any(not written.partial for written in bindings(statement, name)):
            return UNKNOWN
        if not isinstance(statement, ast.AugAssign) or dotted(statement.target) != name or live is None:
            return found
        if not (found is live and hasattr(found, "dtype")) and same_memory(found, live) is None:
            return found
        return UNKNOWN

    def definitions(self, name: str) -> list[tuple[Definition, Statement]]:
        """The definitions of the source that reach here, those of the module for a name that is not local."""
        own = self.recorded(self.statement) if not self._earlier else None
        if own is not None and (exact := own.definitions(name)):
            return exact
        found = self.reaching(name, self.statement)
        if found:
            return [
                (definition, self.recorded(definition.statement) or self.at(definition.statement or self.statement))
                for definition in found
            ]
        outside = self.scene.around(name) if self.scene.around else []
        # A name of a comprehension's own is no name of the function that it stands in.
        outer = [moment for moment in outside if getattr(moment, "scene", None) is not self.scene]
        return [pair for moment in outer for pair in moment.definitions(name)]

    def recorded(self, statement: ast.stmt | None) -> RecordedStatement | None:
        """A statement of this scene as it ran last, if that was recorded."""
        if self._earlier:
            return None
        if self._at_end and statement is self.statement:
            return self.scene.recorded(None) if self.scene.recorded is not None else None
        return self.scene.recorded(statement) if self.scene.recorded is not None and statement is not None else None

    def argument(self, name: str) -> tuple[ast.expr, Statement] | None:
        """What the caller gave, by the call in the source."""
        given = self.scene.arguments().get(name)
        if given is None or not self._earlier or not isinstance(given[1], ReadStatement):
            return given
        return given[0], given[1].in_an_earlier_turn()

    def reaching(self, name: str, statement: ast.stmt | None) -> list[Definition]:
        """The definitions of `name` that may hold before a statement of this scene; None stands for its end."""
        end = self._at_end and statement is self.statement
        return self.scope.reaching(name, None if end else statement, self._choose)

    def defines(self, name: str) -> bool:
        """Whether `name` gets a value in this very scope; at its end, anywhere in it."""
        return bool(self.scope.reaching(name, None if self._at_end else self.statement, lambda _: None))

    def _choose(self, test: ast.expr) -> bool | None:
        """Whether a branch was taken, where its condition is a plain matter of names that do not change."""
        if any(isinstance(node, ast.Call | ast.In | ast.NotIn) for node in ast.walk(test)):
            return None
        answer = evaluate(test, _Settled(self.scene))
        return bool(answer) if isinstance(answer, bool | int | str | type(None)) else None


@dataclass(frozen=True, slots=True)
class _Settled:
    """The names of a scene as they are in the end."""

    scene: FunctionView

    def value(self, name: str) -> Any:
        scene = self.scene
        if name in scene.preset:
            return scene.preset[name]
        live = scene.live or {}
        return live[name] if name in live else _outer(scene, name)

    def called(self, _node: ast.Call, _function: Any) -> Any:
        return UNKNOWN


def _loaded(statement: ast.stmt | None, name: str) -> Any:
    """The module that an `import` inside a function gives a name to, or what it takes out of one."""
    for alias in statement.names if isinstance(statement, ast.Import | ast.ImportFrom) else ():
        if name != (alias.asname or alias.name.partition(".")[0]):
            continue
        if isinstance(statement, ast.ImportFrom):
            module = sys.modules.get(statement.module or "") if not statement.level else None
            return getattr(module, alias.name, UNKNOWN)
        return sys.modules.get(alias.name if alias.asname else name, UNKNOWN)
    return UNKNOWN


def _outer(scene: FunctionView, name: str) -> Any:
    if scene.live is not None and name in scene.live:
        return scene.live[name]
    value = scene.outer.get(name, _MISSING)
    return getattr(builtins, name, UNKNOWN) if value is _MISSING else value


def is_filled(value: Any) -> bool:
    """Whether a value is what is put into it; an object of any other class is the same, whatever its methods do."""
    return isinstance(value, list | dict | set | deque) or hasattr(type(value), "shape")


def _nowhere(_node: ast.Call, _function: Any, _at: Statement) -> Any:
    return UNKNOWN


#: How the result of a call of the user's function is worked out.
entering: ContextVar[Callable[[ast.Call, Any, Statement], Any]] = ContextVar("entering", default=_nowhere)


def looped(at: Statement, node: ast.expr, path: Path) -> Any:
    """The part of an expression's value at `path`; through what loops put around a loader."""
    if isinstance(node, ast.Tuple) and path and isinstance(path[0], int):
        # One of several that are assigned together may be known where the others are not.
        starred = any(isinstance(part, ast.Starred) for part in node.elts)
        if not starred and 0 <= path[0] < len(node.elts):
            return looped(at, node.elts[path[0]], path[1:])
    name = called_name(node) if isinstance(node, ast.Call) and path[:1] == (EACH,) else ""
    if isinstance(node, ast.Call) and node.args:
        rest = path[1:]
        if name in NUMBERING and rest[:1] == (1,):
            return looped(at, node.args[0], (EACH, *rest[1:]))
        if name in PAIRING and rest and isinstance(rest[0], int) and rest[0] < len(node.args):
            return looped(at, node.args[rest[0]], (EACH, *rest[1:]))
        if name in PROGRESS:
            return looped(at, node.args[0], path)
        if name in LOADERS and len(at_hand.get()) == 1:
            return project(at_hand.get()[0][1], rest)
    return project(at.evaluate(node), path)
