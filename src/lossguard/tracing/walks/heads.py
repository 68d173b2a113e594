"""The layer, the table or the number that bounds the labels of a call: the expression that gave it its size."""

from __future__ import annotations

import ast
import functools
import operator
from typing import Any, Final

from lossguard.operations.roles import MEASURING
from lossguard.operations.table import named
from lossguard.tracing.links.classes import is_users_object
from lossguard.tracing.links.datasets import argument_of_many
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.links.views import results
from lossguard.tracing.program.binding import bound, called_name
from lossguard.tracing.program.reaching import Path
from lossguard.tracing.walks.bounds import Bound
from lossguard.tracing.walks.walk import Walk

#: How many names, calls and attributes are followed one after the other.
_DEEP: Final = 24
#: What is given sizes after the data.
_SIZING: Final = named("takes", "data-then-sizes")
#: What is given nothing but sizes.
_MAKING: Final = named("axes", "of-sizes", "of-size")
#: What layers call the number of their outputs, or of their rows.
_OUTPUTS: Final = ("out_features", "out_channels")
_ROWS: Final = ("num_embeddings",)

Written = tuple[ast.expr, Statement]


class Head:
    """A walk back from what has a size to the expression that says how large it is."""

    def __init__(self, walk: Walk, of: Bound) -> None:
        self._world, self._construction = walk.world, walk.construction
        self._size, self._table = of.size, of.table

    def written(self, node: ast.expr | None, at: Statement) -> Written | None:
        """The expression that a layer was given for its size; `node` itself, where that is a plain number."""
        if node is not None and self._table is None:
            return (node, at) if at.integer(node) == self._size else self._layer(node, at, (), _DEEP)
        calls = [call for call in ast.walk(at.statement) if isinstance(call, ast.Call)]
        found = [self._given(call, at) for call in calls if self._place(at.evaluate(call.func)) is not None]
        return found[0] if len(found) == 1 else None

    def _layer(self, node: ast.expr, at: Statement, path: Path, left: int) -> Written | None:
        """What the layer was given for its outputs whose result the scores are."""
        if not left:
            return None
        match node:
            case ast.Name(id=name):
                found = at.definitions(name)
                definition, moment = found[0] if len(found) == 1 else (None, at)
                if definition is None or definition.partial:
                    return None
                given = moment.argument(name) if definition.parameter else (definition.value, moment)
                if given is None or given[0] is None:
                    return None
                return self._layer(given[0], given[1], (*definition.path, *path), left - 1)
            case ast.Tuple(elts=parts) if path and isinstance(path[0], int) and -len(parts) <= path[0] < len(parts):
                return self._layer(parts[path[0]], at, path[1:], left - 1)
            case ast.Dict(keys=keys, values=values) if path:
                entry = next((v for k, v in zip(keys, values, strict=True) if k and at.evaluate(k) == path[0]), None)
                return self._layer(entry, at, path[1:], left - 1) if entry is not None else None
            case ast.Subscript(value=base, slice=key):
                named = isinstance(word := at.evaluate(key), str)
                return self._layer(base, at, (word, *path) if named else path, left - 1)
            case ast.Attribute(value=owner, attr=name) if is_users_object(thing := at.evaluate(owner)):
                set_by = self._construction.assignments(thing, name)
                value = set_by[0][0].value if len(set_by) == 1 and not set_by[0][0].partial else None
                return self._layer(value, set_by[0][1], path, left - 1) if value is not None else None
            case ast.Call():
                return self._called(node, at, path, left)
        return None

    def _called(self, node: ast.Call, at: Statement, path: Path, left: int) -> Written | None:
        callee = at.evaluate(node.func)
        if self._place(callee) is not None:
            return self._given(node, at)
        scene = self._world.entered(node, callee, at)
        if scene is not None:
            inside = results(scene, each=False)
            return self._layer(*inside[0], path, left - 1) if len(inside) == 1 else None
        if called_name(node) in _MAKING:
            sizes = node.args[0].elts if node.args and isinstance(node.args[0], ast.Tuple) else node.args
            own = [part for part in sizes if at.integer(part) in {self._size, None}]
            return (own[0], at) if len(own) == 1 else None
        sized = [part for part in node.args if called_name(node) in _SIZING and at.integer(part) == self._size]
        if sized and not _is_measured(sized[-1]):
            return sized[-1], at
        of_value = isinstance(node.func, ast.Attribute) and getattr(at.evaluate(node.func.value), "__name__", "") == ""
        given = node.func.value if isinstance(node.func, ast.Attribute) and of_value else None
        given = given if given is not None else node.args[0] if node.args else None
        return self._layer(given, at, path, left - 1) if given is not None else None

    def _place(self, layer: Any) -> tuple[int, ...] | None:
        """Where in sequences of layers that one stands which has the size; empty for the layer itself."""
        if type(layer).__name__ == "Sequential":
            inner = ((number, self._place(each)) for number, each in reversed([*enumerate(layer)]))
            return next(((number, *place) for number, place in inner if place is not None), None)
        if self._table is not None:
            return () if getattr(layer, "weight", None) is self._table else None
        return () if any(getattr(layer, name, None) == self._size for name in _OUTPUTS) else None

    def _given(self, call: ast.Call, at: Statement) -> Written | None:
        """What the class of the layer that is called was given for the size, where it was made."""
        layer = at.evaluate(call.func)
        place = self._place(layer) or ()
        leaf = functools.reduce(operator.getitem, place, layer)
        site = self._construction.born(leaf) or self._construction.made(call, layer, at)
        for number in place if self._construction.born(leaf) is None else ():
            inner = argument_of_many(site[0].args, number, len(layer)) if site is not None else None
            site, layer = (inner, site[1]) if site is not None and isinstance(inner, ast.Call) else None, layer[number]
        code = getattr(type(leaf).__init__, "__code__", None)
        if site is None or code is None:
            return None
        words = bound(site[0], code, method=True)
        size = next((words[name] for name in (*_OUTPUTS, *_ROWS) if name in words), None)
        return (size, site[1]) if size is not None else None


def _is_measured(node: ast.expr) -> bool:
    """Whether a number is the size of something that is there: `x.size(-1)`, `x.shape[-1]`."""
    by_shape = isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") == "shape"
    return by_shape or (isinstance(node, ast.Call) and called_name(node) in MEASURING)
