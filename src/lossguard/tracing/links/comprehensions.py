"""Inside a comprehension or a lambda: names that stand for each element of something."""

from __future__ import annotations

import ast
import itertools
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from lossguard.tracing.evidence.replay import Activation
from lossguard.tracing.links.recorded import RecordedStatement
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.reaching import EACH, KEYS, Definition, Path, parameters, unpacked
from lossguard.tracing.values.evaluating import ABSENT, UNKNOWN, Comprehension, truth_of
from lossguard.tracing.values.projecting import project

#: No more elements are looked at for the bad one.
_MANY: Final = 1_000
_MOST: Final = 20_000
Test = Callable[[Any], bool]
#: How the frames of comprehensions are called, where they have frames of their own.
FRAMES: Final[dict[str, type[Comprehension]]] = {
    "<listcomp>": ast.ListComp,
    "<genexpr>": ast.GeneratorExp,
    "<setcomp>": ast.SetComp,
    "<dictcomp>": ast.DictComp,
}


class BoundStatement(Statement):
    """A statement, with the loop variables of a comprehension in it bound to what they run over."""

    def __init__(
        self, outer: Statement, targets: list[tuple[ast.expr, ast.expr]], which: Any = EACH, element: Any = UNKNOWN
    ) -> None:
        super().__init__(outer.scope, outer.statement)
        self.outer = outer
        self._targets = targets
        #: The number of the element that is looked at, or EACH.
        self._which = which
        #: That element, if it is known already.
        self.element = element
        #: What loop variables hold in the turn of a comprehension that is running.
        self._live: Mapping[str, Any] = {}

    @classmethod
    def of_frame(cls, frame: types.FrameType, outer: Statement) -> BoundStatement | None:
        """The turn that a comprehension's own frame is in, inside a statement; None if that is not certain."""
        kind = FRAMES[frame.f_code.co_name]
        found = [node for node in ast.walk(outer.statement) if isinstance(node, kind)]
        found = [node for node in found if node.lineno == frame.f_code.co_firstlineno]
        if len(found) != 1:
            return None
        turn = cls(outer, [(generator.target, generator.iter) for generator in found[0].generators])
        turn._live = dict(frame.f_locals)
        return turn

    @classmethod
    def of(cls, node: Comprehension, outer: Statement, first: Path, is_bad: Test) -> Statement:
        """Inside a comprehension, of which the element or entry at `first` is looked at, or else one that is bad."""
        targets = [(generator.target, generator.iter) for generator in node.generators]
        made = node.value if isinstance(node, ast.DictComp) else node.elt
        if len(targets) > 1:
            return _worst(cls._nested(node.generators, outer), made, is_bad) or cls(outer, targets)
        turns = cls._turns(node.generators[0], outer)
        if isinstance(node, ast.DictComp):
            if first[:1] == (KEYS,):
                return _worst(turns, node.key, is_bad) or cls._any(targets[0], outer, is_bad)
            own = [turn for turn in turns if first and first[0] is not EACH and turn.evaluate(node.key) == first[0]]
            same = isinstance(node.key, ast.Name) and unpacked(targets[0][0], node.key.id) == ()
            if same and not turns and first and isinstance(first[0], str):
                return cls(outer, targets, EACH, first[0])
            found = _worst(own or turns, made, is_bad) or cls._over_items(node, outer, first)
            return found or cls._any(targets[0], outer, is_bad)
        if first and isinstance(first[0], int) and -len(turns) <= first[0] < len(turns):
            return turns[first[0]]
        if first and isinstance(first[0], int) and not node.generators[0].ifs:
            return cls(outer, targets, first[0])
        return _worst(turns, made, is_bad) or cls._any(targets[0], outer, is_bad)

    @classmethod
    def _any(cls, target: tuple[ast.expr, ast.expr], outer: Statement, is_bad: Test) -> Statement:
        """No element is known to be the one: that which is bad itself, or else the first, which stands for all."""
        items = outer.evaluate(target[1])
        elements = list(items) if _is_countable(items) and len(items) <= _MOST else []
        for number, element in enumerate(elements):
            if is_bad(element):
                return cls(outer, [target], number, element)
        return cls(outer, [target], EACH, elements[0] if elements else UNKNOWN)

    @classmethod
    def _turns(cls, generator: ast.comprehension, outer: Statement) -> list[BoundStatement]:
        """The turns of a loop that pass its conditions; empty if they cannot be told."""
        items = outer.evaluate(generator.iter)
        found: list[BoundStatement] = []
        for number, element in enumerate(items if _is_countable(items) and len(items) <= _MANY else []):
            turn = cls(outer, [(generator.target, generator.iter)], number, element)
            tests = [truth_of(turn.evaluate(test)) for test in generator.ifs]
            if any(test is None for test in tests):
                return []
            if all(tests):
                found.append(turn)
        return found

    @classmethod
    def _nested(cls, generators: list[ast.comprehension], outer: Statement) -> Iterator[BoundStatement]:
        """The turns of loops inside one another, the innermost last; none if they cannot be told."""
        for turn in cls._turns(generators[0], outer):
            yield from cls._nested(generators[1:], turn) if generators[1:] else [turn]

    @classmethod
    def _over_items(cls, node: ast.DictComp, outer: Statement, first: Path) -> Statement | None:
        """Over `mapping.items()` the entry of a key is made from the entry of the same key."""
        target, items = node.generators[0].target, node.generators[0].iter
        over = isinstance(items, ast.Call) and isinstance(items.func, ast.Attribute) and items.func.attr == "items"
        return cls(outer, [(target, items)], first[0]) if over and first and isinstance(first[0], str) else None

    @classmethod
    def of_lambda(cls, node: ast.Lambda, items: ast.expr, outer: Statement, first: Path, is_bad: Test) -> Statement:
        """Inside a lambda that is applied to each of `items`."""
        target = ast.copy_location(ast.Name(id=(parameters(node) or ["_"])[0], ctx=ast.Store()), node)
        return cls.of_each(target, items, outer, first, node.body, is_bad)

    @classmethod
    def of_each(
        cls, target: ast.expr, items: ast.expr, outer: Statement, first: Path, made: ast.expr, is_bad: Test
    ) -> Statement:
        """One of `items`, named `target`: the one at `first`, or else one of which something bad was made."""
        if first and isinstance(first[0], int):
            return cls(outer, [(target, items)], first[0])
        turns = cls._turns(ast.comprehension(target, items, [], 0), outer)
        return _worst(turns, made, is_bad) or cls._any((target, items), outer, is_bad)

    @property
    def calls(self) -> list[Activation]:
        """The calls of the statement around."""
        return self.outer.calls

    def value(self, name: str) -> Any:
        """Of a loop variable, one element of what it runs over."""
        root = name.partition(".")[0].partition("[")[0]
        if root != name and self._bound(root) is not None:
            return ABSENT
        bound = self._bound(name)
        if bound is None:
            return self.outer.value(name)
        if name in self._live:
            return self._live[name]
        if self.element is not UNKNOWN:
            return project(self.element, bound[1])
        return UNKNOWN if self._which is EACH else project(project(self.evaluate(bound[0]), (self._which,)), bound[1])

    def definitions(self, name: str) -> list[tuple[Definition, Statement]]:
        """A loop variable comes from what it runs over."""
        bound = self._bound(name)
        if bound is None:
            return self.outer.definitions(name)
        return [(Definition(self.statement, bound[0], (self._which, *bound[1])), self)]

    def alterations(self, name: str) -> list[tuple[RecordedStatement, Any, Any]]:
        """As in the statement around, but for what is bound here."""
        return self.outer.alterations(name) if self._bound(name) is None else []

    def kinds(self, name: str) -> set[type]:
        """As in the statement around, but for what is bound here."""
        return self.outer.kinds(name) if self._bound(name) is None else set()

    def handle(self, name: str) -> Any:
        """As in the statement around, but for what is bound here."""
        return self.outer.handle(name) if self._bound(name) is None else None

    def argument(self, name: str) -> tuple[ast.expr, Statement] | None:
        """As in the statement around."""
        return self.outer.argument(name)

    def _bound(self, name: str) -> tuple[ast.expr, Path] | None:
        for target, items in reversed(self._targets):
            path = unpacked(target, name)
            if path is None:
                continue
            if isinstance(self._which, str) and isinstance(items, ast.Call) and isinstance(items.func, ast.Attribute):
                # The entry of this key in `mapping.items()` is the entry of this key in the mapping.
                return (items.func.value, path[1:]) if path[:1] == (1,) else None
            return items, path
        return None


def innermost(at: Statement) -> Statement:
    """The moment around all comprehensions and lambdas."""
    while isinstance(at, BoundStatement):
        at = at.outer
    return at


def turn_around(node: ast.expr, at: Statement, is_bad: Test) -> Statement:
    """The turn of a comprehension that an expression stands in; the statement itself if it stands in none."""
    parents = at.scope.source.parents
    # An element of what is spread out over several parameters is written nowhere itself.
    around = next(map(parents.get, filter(parents.get, ast.walk(node))), None)
    around = None if isinstance(at, BoundStatement) else around
    while around is not None and not isinstance(around, ast.stmt):
        if isinstance(around, Comprehension):
            return BoundStatement.of(around, at, (), is_bad)
        around = parents.get(around)
    return at


def _is_countable(items: Any) -> bool:
    return isinstance(items, list | tuple | range | str) or bool(getattr(items, "shape", None))


def _worst(turns: Iterable[BoundStatement], made: ast.expr, is_bad: Test) -> BoundStatement | None:
    """The first turn in which something bad was made, of so many; one in which it was bad already, if there is one."""
    first = None
    for turn in itertools.islice(turns, _MOST):
        if is_bad(turn.evaluate(made)):
            if turn.element is not UNKNOWN and is_bad(turn.element):
                return turn
            first = first or turn
    return first
