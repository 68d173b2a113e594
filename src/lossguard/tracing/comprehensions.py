"""Inside a comprehension or a lambda: names that stand for each element of something."""

from __future__ import annotations

import ast
from typing import Any

from lossguard.tracing.evaluating import ABSENT
from lossguard.tracing.moments import Moment, project
from lossguard.tracing.reaching import EACH, Definition, Path, parameters, unpacked
from lossguard.tracing.replay import Activation


class BoundMoment(Moment):
    """A statement, with the loop variables of a comprehension in it bound to what they run over."""

    def __init__(self, outer: Moment, targets: list[tuple[ast.expr, ast.expr]], which: Any = EACH) -> None:
        super().__init__(outer.scope, outer.statement)
        self.outer = outer
        self._targets = targets
        #: The number of the element that is looked at, or EACH.
        self._which = which

    @classmethod
    def of(cls, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, outer: Moment, first: Path) -> Moment:
        """Inside a comprehension, of which the element at `first` is looked at."""
        targets = [(generator.target, generator.iter) for generator in node.generators]
        simple = len(targets) == 1 and not node.generators[0].ifs and first and isinstance(first[0], int)
        return cls(outer, targets, first[0] if simple else EACH)

    @classmethod
    def of_entries(cls, node: ast.DictComp, outer: Moment, first: Path) -> Moment:
        """Inside a comprehension that makes a dict, of which the entry `first` is looked at."""
        targets = [(generator.target, generator.iter) for generator in node.generators]
        items = targets[0][1]
        over_items = (
            isinstance(items, ast.Call) and isinstance(items.func, ast.Attribute) and items.func.attr == "items"
        )
        if over_items and first and len(targets) == 1 and isinstance(first[0], str):
            return cls(outer, targets, first[0])
        return cls(outer, targets)

    @classmethod
    def of_lambda(cls, node: ast.Lambda, items: ast.expr, outer: Moment, first: Path) -> Moment:
        """Inside a lambda that is mapped over `items`."""
        names = parameters(node)
        target = ast.copy_location(ast.Name(id=names[0] if names else "_", ctx=ast.Store()), node)
        return cls(outer, [(target, items)], first[0] if first and isinstance(first[0], int) else EACH)

    @property
    def calls(self) -> list[Activation]:
        """The calls of the statement around."""
        return self.outer.calls

    def value(self, name: str) -> Any:
        """Of a loop variable, one element of what it runs over: the first."""
        root = name.partition(".")[0].partition("[")[0]
        if root != name and self._bound(root) is not None:
            return ABSENT
        bound = self._bound(name)
        if bound is None:
            return self.outer.value(name)
        items = self.evaluate(bound[0])
        countable = isinstance(items, list | tuple) or hasattr(items, "shape")
        which = 0 if self._which is EACH and countable else self._which
        return project(project(items, (which,)), bound[1])

    def definitions(self, name: str) -> list[tuple[Definition, Moment]]:
        """A loop variable comes from what it runs over."""
        bound = self._bound(name)
        if bound is None:
            return self.outer.definitions(name)
        return [(Definition(self.statement, bound[0], (self._which, *bound[1])), self)]

    def argument(self, name: str) -> tuple[ast.expr, Moment] | None:
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
