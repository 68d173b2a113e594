"""Where a model got its number of classes: the labels may be sound, and the last layer too small for them."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from typing import Any, Final

from lossguard.operations.roles import COUNTING, DISTINCT, LARGEST, LENGTHS, UNWRAPPING
from lossguard.operations.table import named
from lossguard.tracing.links.construction import Site
from lossguard.tracing.links.recognising import is_users_object
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.links.views import results
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import Definition, Path, dotted
from lossguard.tracing.program.sources import Source
from lossguard.tracing.symptoms import effects
from lossguard.tracing.symptoms.symptom import described, numbers_of
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.walks.steps import Chain, Step, handed_on
from lossguard.tracing.walks.walk import Walk

#: How many names, calls and attributes are followed one after the other.
_DEEP: Final = 24
#: What draws numbers at random, the last argument but for settings being the bound.
_DRAWS: Final = named("values", "drawn")
#: The attributes of layers that are a number of outputs, or of rows, and where their constructors take it.
_SIZES: Final = {"out_features": 1, "out_channels": 1}
_ROWS: Final = {"num_embeddings": 0}


class Sizes:
    """A walk back from the scores to the expression that says how many classes they have."""

    def __init__(self, walk: Walk, classes: int, *, from_zero: bool, table: Any = None) -> None:
        self._walk = walk
        self._classes = classes
        #: The layer in which the labels are looked up, where it has too few rows, and not the scores too few classes.
        self._table = table
        #: Whether there is a label 0.
        self._from_zero = from_zero
        #: The words that the number of classes went through.
        self.words: set[str] = set()
        #: What is wrong with the line that was found: a `size` one too small, or a `count` of what is there.
        self.kind = "size"

    def too_small(self, node: ast.expr, at: Statement) -> Chain:
        """The line that made the number of classes one too small, of labels that count from 0; None if none did."""
        if self._table is not None:
            calls = [call for call in ast.walk(at.statement) if isinstance(call, ast.Call)]
            func = next(call.func for call in calls if at.evaluate(call.func) is self._table)
            site = self._made(func, self._table, at)
        else:
            site = self._layer(node, at, (), _DEEP)
        if site is None or (written := _written_size(site[0], _SIZES if self._table is None else _ROWS)) is None:
            return None
        return self._followed(written, site[1], _DEEP)

    def written(self, node: ast.expr, at: Statement) -> tuple[Source, ast.expr] | None:
        """The number of classes where it is written out, whether or not that is the fault; None if it is computed."""
        found = self._constant(node, at)
        return None if found is None else (found[1].scope.source, found[0])

    def one_short(self, chain: Chain, labels: Any, node: ast.expr, at: Statement) -> Chain:
        """The line with the number of classes, where all labels that were read have one more; None if it is not so."""
        born = chain[0].culprit if chain else None
        read = born is not None and effects.effect_of(born, "class numbers") is effects.CREATES
        if not read or not self._from_zero or int(labels.max()) != self._classes:
            return None
        # Of a class there are as many labels as of others, or half as many; of a slip there are fewer.
        often = 2 * (self._classes + 1) * int((labels == self._classes).sum()) >= labels.numel()
        found = self._constant(node, at) if often else None
        return None if found is None else [self._walk.culprit(*found)]

    def _constant(self, node: ast.expr, at: Statement) -> tuple[ast.expr, Statement] | None:
        site = self._layer(node, at, (), _DEEP)
        size = _written_size(site[0]) if site is not None else None
        found = (size, site[1]) if site is not None and size is not None else None
        for _ in range(_DEEP):
            if found is None or not isinstance(found[0], ast.Name | ast.Attribute):
                break
            found = self._source(found[0], found[1])
        if found is None or not isinstance(found[0], ast.Constant) or found[0].value != self._classes:
            return None
        return found

    def explains(self, step: Step) -> bool:
        """Whether labels that were drawn at random at `step` are as likely to be right as the number of classes is."""
        node = step.culprit
        drawn = isinstance(node, ast.Call) and called_name(node) in _DRAWS
        if not isinstance(node, ast.Call) or not drawn or step.moment is None or not self._from_zero:
            return False
        given = [step.moment.evaluate(argument) for argument in node.args]
        return self._classes not in given and self.words.isdisjoint(_words(node))

    def _layer(self, node: ast.expr, at: Statement, path: Path, left: int) -> Site | None:
        """The call that made the layer whose output the scores are, of as many outputs as there are classes."""
        if not left:
            return None
        match node:
            case ast.Name(id=name):
                found = _sole(at.definitions(name))
                value = found[0].value if found is not None else None
                return self._layer(value, found[1], (*found[0].path, *path), left - 1) if found and value else None
            case ast.Tuple(elts=parts) if path and isinstance(path[0], int) and -len(parts) <= path[0] < len(parts):
                return self._layer(parts[path[0]], at, path[1:], left - 1)
            case ast.Dict(keys=keys, values=values) if path:
                entry = next((v for k, v in zip(keys, values, strict=True) if k and at.evaluate(k) == path[0]), None)
                return self._layer(entry, at, path[1:], left - 1) if entry is not None else None
            case ast.Subscript(value=base, slice=key):
                named = isinstance(word := at.evaluate(key), str)
                return self._layer(base, at, (word, *path) if named else path, left - 1)
            case ast.Call():
                return self._called(node, at, path, left)
        return None

    def _called(self, node: ast.Call, at: Statement, path: Path, left: int) -> Site | None:
        callee = at.evaluate(node.func)
        if self._makes(callee):
            return self._made(node.func, callee, at)
        scene = self._walk.world.entered(node, callee, at)
        if scene is not None:
            inside = results(scene, each=False)
            return self._layer(*inside[0], path, left - 1) if len(inside) == 1 else None
        of_value = isinstance(node.func, ast.Attribute) and getattr(at.evaluate(node.func.value), "__name__", "") == ""
        given = node.func.value if isinstance(node.func, ast.Attribute) and of_value else None
        given = given if given is not None else node.args[0] if node.args else None
        return self._layer(given, at, path, left - 1) if given is not None else None

    def _makes(self, layer: Any) -> bool:
        """Whether a layer, or the last one of a sequence that has a size, has as many outputs as there are classes."""
        inner = list(layer) if type(layer).__name__ == "Sequential" else [layer]
        sizes = [size for one in inner if (size := _outputs(one)) is not None]
        return bool(sizes) and sizes[-1] == self._classes

    def _made(self, func: ast.expr, layer: Any, at: Statement) -> Site | None:
        """The call of the layer's class, where the name or attribute was set that holds it."""
        owner = at.evaluate(func.value) if isinstance(func, ast.Attribute) else UNKNOWN
        if isinstance(func, ast.Attribute) and is_users_object(owner):
            found = _sole(self._walk.construction.assignments(owner, func.attr))
        else:
            found = _sole(at.definitions(func.id)) if isinstance(func, ast.Name) else None
        call = found[0].value if found is not None else None
        if found is None or not isinstance(call, ast.Call):
            return None
        if type(layer).__name__ == "Sequential":
            sized = [number for number, one in enumerate(layer) if _outputs(one) is not None]
            inner = call.args[sized[-1]] if len(call.args) == len(layer) else None
            return (inner, found[1]) if isinstance(inner, ast.Call) else None
        return call, found[1]

    def _followed(self, node: ast.expr, at: Statement, left: int) -> Chain:
        """From a size that is handed on to the expression that computed it, if that is one too small."""
        self.words |= _words(node)
        inner = _bare(node)
        if not isinstance(inner, ast.Name | ast.Attribute) or not left:
            return self._judged(inner, node, at)
        found = self._source(inner, at)
        if found is None:
            return None
        return handed_on(dotted(inner), self._followed(*found, left - 1), found[1])

    def _source(self, node: ast.Name | ast.Attribute, at: Statement) -> tuple[ast.expr, Statement] | None:
        owner = at.evaluate(node.value) if isinstance(node, ast.Attribute) else UNKNOWN
        if isinstance(node, ast.Attribute) and is_users_object(owner):
            function = getattr(inspect.getattr_static(type(owner), node.attr, None), "fget", None)
            scene = self._walk.world.function(function, {}, {"self": owner}) if function is not None else None
            inside = results(scene, each=False) if scene is not None else []
            if function is not None:
                return inside[0] if len(inside) == 1 else None
            found = _sole(self._walk.construction.assignments(owner, node.attr))
        else:
            found = _sole(at.definitions(dotted(node))) if dotted(node) else None
        if found is None:
            return None
        if found[0].parameter:
            return found[1].argument(found[0].parameter)
        return (found[0].value, found[1]) if found[0].value is not None and not found[0].path else None

    def _judged(self, node: ast.expr, written: ast.expr, at: Statement) -> Chain:
        """`labels.max()`, or `len(names) - 1`: one less than there are classes, when the labels begin at 0."""
        if at.evaluate(node) != self._classes:
            return None
        if (counted := _counted_in(node, at, self._classes, of_table=self._table is not None)) is not None:
            # There are fewer different labels than the largest one needs.
            self.kind = "count"
            return [self._walk.culprit(written, at, before=described(counted))]
        operand: ast.expr | None = None
        if isinstance(node, ast.Call) and called_name(node) in LARGEST and len(node.args) < 2:
            operand = node.args[0] if node.args else getattr(node.func, "value", None)
            numbers = numbers_of(at.evaluate(operand)) if operand is not None else None
            if numbers is None or not numbers.size or numbers.min() != 0:
                return None
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and at.evaluate(node.right) == 1:
            operand = node.left if self._from_zero and _counts(node.left) else None
        if operand is None:
            return None
        return [self._walk.culprit(written, at, before=described(at.evaluate(operand)))]


def table_in(at: Statement) -> Any:
    """The one layer with rows for numbers in which a statement looks something up; None if there is none, or two."""
    callees = [at.evaluate(node.func) for node in ast.walk(at.statement) if isinstance(node, ast.Call)]
    found = [callee for callee in callees if isinstance(getattr(callee, "num_embeddings", None), int)]
    return found[0] if len(found) == 1 else None


def _sole(found: list[tuple[Definition, Statement]]) -> tuple[Definition, Statement] | None:
    whole = [pair for pair in found if not pair[0].partial]
    return whole[0] if len(found) == len(whole) == 1 else None


def _outputs(layer: Any) -> int | None:
    return next((size for name in _SIZES if isinstance(size := getattr(layer, name, None), int)), None)


def _written_size(call: ast.Call, sizes: Mapping[str, int] = _SIZES) -> ast.expr | None:
    """What a layer's class was given for the number of its outputs, or of its rows."""
    named = next((word.value for word in call.keywords if word.arg in sizes), None)
    place = next(iter(sizes.values()))
    return named or (call.args[place] if len(call.args) > place else None)


def _bare(node: ast.expr) -> ast.expr:
    """An expression without what makes a plain number of it: `int(...)`, `.item()`."""
    while isinstance(node, ast.Call):
        given = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        if called_name(node) not in UNWRAPPING or len(given) != 1:
            break
        node = given[0]
    return node


def _counted_in(node: ast.expr, at: Statement, classes: int, *, of_table: bool) -> Any:
    """The labels whose different values an expression counts, if these are no count of all that there are.

    The largest of them may be too large for that; or they begin at 0, and the label is none of them. What gives each
    word a number, with none left out, has too few entries if the numbers begin later.
    """
    inner = (
        node.args[0] if isinstance(node, ast.Call) and called_name(node) in LENGTHS and len(node.args) == 1 else node
    )
    table = at.evaluate(inner) if inner is not node else UNKNOWN
    if isinstance(table, Mapping) and of_table:
        numbers = numbers_of(list(table.values()))
        whole = numbers is not None and numbers.size == len(table) > 0 and numbers.min() > 0
        return table if whole and numbers.max() - numbers.min() == len(table) - 1 else None
    if not isinstance(inner, ast.Call) or called_name(inner) not in DISTINCT:
        return None
    given = [*inner.args[:1], *([inner.func.value] if isinstance(inner.func, ast.Attribute) else [])]
    for labels in map(at.evaluate, given):
        numbers = numbers_of(labels) if hasattr(labels, "shape") or isinstance(labels, list) else None
        if (
            numbers is not None
            and numbers.size
            and (numbers.min() == 0 or 0 < numbers.min() <= classes <= numbers.max())
        ):
            return labels
    return None


def _counts(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and called_name(node) in COUNTING


def _words(node: ast.expr) -> set[str]:
    """The names in an expression, but for those of functions."""
    called = {id(inner.func) for inner in ast.walk(node) if isinstance(inner, ast.Call)}
    names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name) and id(inner) not in called}
    attributes = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute) and id(n) not in called}
    return (names | attributes) - {"self", "torch", "np", "numpy", "random"}
