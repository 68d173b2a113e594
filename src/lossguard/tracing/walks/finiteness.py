"""Whether a value is finite in any case, proved from the source where the value itself is gone.

Numbers that are drawn, counted or written out are finite; so are sums and products of finite numbers, and what is
only moved, joined or cast. Whatever is not known to be so proves nothing: a column that is read, a quotient, a mean.
"""

from __future__ import annotations

import ast
import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from lossguard.operations.roles import CLAMPING, MEANS, SPREADS
from lossguard.operations.table import named
from lossguard.tracing.links.comprehensions import BoundStatement
from lossguard.tracing.links.datasets import applied, arranged
from lossguard.tracing.links.recognising import branches_of, is_empty, is_indexer, is_users_object, operands_of
from lossguard.tracing.links.statements import ReadStatement, Statement
from lossguard.tracing.links.views import ProgramView, results
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.reaching import EACH, Definition, Path, dotted
from lossguard.tracing.symptoms import effects
from lossguard.tracing.symptoms.symptom import Judgement, Symptom
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.projecting import project

if TYPE_CHECKING:
    from lossguard.tracing.links.construction import Construction

_STEPS: Final = 300
#: How many functions inside one another are looked at for loops.
_CALLERS: Final = 8
#: Calls that give finite numbers, whatever they are given.
_BORN: Final = named("finiteness", "always")
#: Calls that give finite numbers when they are given some.
_KEEPING: Final = named("finiteness", "keeps")
#: Of these calls, which otherwise only move numbers, some leave gaps.
_LEAVING_GAPS: Final = named("finiteness", "gaps", "edge-gaps")
#: Attributes that are counts, or the same numbers in another dress.
_COUNTS: Final = named("finiteness", "always", home="attribute")
_DRESSES: Final = named("finiteness", "keeps", home="attribute")


class Finiteness:
    """One proof. What leads back to itself is finite if all else is that goes into it."""

    def __init__(
        self, symptom: Symptom, world: ProgramView, construction: Construction, deadline: float, *, partly: bool = False
    ) -> None:
        #: Whether there are finite numbers beside those that are not.
        self._partly = partly
        self._symptom = symptom
        self._world = world
        self._construction = construction
        self._deadline = deadline
        self._left = _STEPS
        self._supposed: set[tuple[Any, ...]] = set()

    def proved(self, node: ast.expr, at: Statement, path: Path = ()) -> bool:
        """Whether the part at `path` of `node` is surely finite, and all that is in it."""
        self._left -= 1
        if self._left < 0 or time.monotonic() > self._deadline:
            return False
        value = at.evaluate(node)
        part = project(value, path) if value is not UNKNOWN else UNKNOWN
        judged = self._symptom.judge(part) if part is not UNKNOWN else Judgement.UNKNOWN
        if judged in {Judgement.GOOD, Judgement.BAD}:
            return judged is Judgement.GOOD
        way = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        return way is not None and bool(way(node, at, path))

    def _all(self, parts: list[ast.expr], at: Statement, path: Path = ()) -> bool:
        return all(self.proved(part, at, path) for part in parts)

    def _of_constant(self, node: ast.Constant, _at: Statement, _path: Path) -> bool:
        return isinstance(node.value, int | float) and math.isfinite(node.value)

    def _of_compare(self, _node: ast.Compare, _at: Statement, _path: Path) -> bool:
        return True

    def _of_starred(self, node: ast.Starred | ast.NamedExpr, at: Statement, path: Path) -> bool:
        return self.proved(node.value, at, path)

    _of_namedexpr = _of_starred

    def _of_unaryop(self, node: ast.UnaryOp, at: Statement, path: Path) -> bool:
        return self.proved(node.operand, at, path)

    def _of_ifexp(self, node: ast.IfExp, at: Statement, path: Path) -> bool:
        return self._all(branches_of(node, at), at, path)

    def _of_binop(self, node: ast.BinOp, at: Statement, path: Path) -> bool:
        if isinstance(node.op, ast.Sub) and _is_mean_of(node.right, node.left, at):
            # There is a difference to look at, so that the mean is not one of nothing.
            return self.proved(node.left, at, path)
        if isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.MatMult):
            return self._all([node.left, node.right], at, path)
        other = at.evaluate(node.right)
        plain = isinstance(other, int | float) and math.isfinite(other)
        if isinstance(node.op, ast.Div) and is_positive(node.right, at):
            return self._all([node.left, node.right], at, path)
        if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
            return plain and other != 0 and self.proved(node.left, at, path)
        return isinstance(node.op, ast.Pow) and plain and other in {1, 2, 3} and self.proved(node.left, at, path)

    def _of_tuple(self, node: ast.Tuple | ast.List, at: Statement, path: Path) -> bool:
        starred = any(isinstance(element, ast.Starred) for element in node.elts)
        if path and isinstance(path[0], int) and not starred and -len(node.elts) <= path[0] < len(node.elts):
            return self.proved(node.elts[path[0]], at, path[1:])
        return self._all(node.elts, at, path[1:])

    _of_list = _of_tuple

    def _of_dict(self, node: ast.Dict, at: Statement, path: Path) -> bool:
        keys = [at.evaluate(key) if key is not None else UNKNOWN for key in node.keys]
        if path and isinstance(path[0], str) and all(isinstance(key, str) for key in keys):
            # What it does not hold is not bad in it; it was put in elsewhere.
            own = [value for key, value in zip(keys, node.values, strict=True) if key == path[0]]
            return self._all(own[-1:], at, path[1:])
        return self._all(node.values, at, path[1:])

    def _of_listcomp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, at: Statement, path: Path) -> bool:
        targets = [(generator.target, generator.iter) for generator in node.generators]
        return self.proved(node.elt, BoundStatement(at, targets), path[1:])

    _of_generatorexp = _of_setcomp = _of_listcomp

    def _of_subscript(self, node: ast.Subscript, at: Statement, path: Path) -> bool:
        key = at.evaluate(node.slice)
        if is_indexer(node.value) and isinstance(node.value, ast.Attribute):
            column = key[1] if isinstance(key, tuple) and len(key) == 2 else path[0] if path else EACH
            return self.proved(node.value.value, at, (column,) if isinstance(column, str) else (EACH,))
        plain = isinstance(key, str | int) and not isinstance(key, bool)
        return self.proved(node.value, at, (key if plain else EACH, *path) if not isinstance(key, slice) else path)

    def _of_attribute(self, node: ast.Attribute, at: Statement, path: Path) -> bool:
        if node.attr in _COUNTS:
            return True
        name, base = dotted(node), at.evaluate(node.value)
        if name and at.scope.assigns(name) and (found := at.definitions(name)):
            return self._defined(name, found, path)
        if base is not UNKNOWN and is_users_object(base):
            found = self._construction.assignments(base, node.attr)
            return bool(found) and self._defined(f"self.{node.attr}", found, path)
        return node.attr in _DRESSES and self.proved(node.value, at, path)

    def _of_name(self, node: ast.Name, at: Statement, path: Path) -> bool:
        found = at.definitions(node.id)
        return bool(found) and self._defined(node.id, found, path)

    def _defined(self, name: str, found: list[tuple[Definition, Statement]], path: Path) -> bool:
        return all(self._from(name, definition, moment, path) for definition, moment in found)

    def _from(self, name: str, definition: Definition, moment: Statement, path: Path) -> bool:
        scene = getattr(moment, "scene", None) or getattr(moment, "activation", None) or moment.scope.node
        key = (name, id(definition.statement), id(definition.value), id(scene), repr(path))
        if definition.parameter:
            given = moment.argument(name)
            return given is not None and self.proved(given[0], given[1], path)
        if key in self._supposed or is_empty(definition.value):
            return True
        self._supposed.add(key)
        if definition.value is None:
            return False
        if not definition.partial:
            return self.proved(definition.value, moment, (*definition.path, *path))
        written = moment.evaluate(definition.key) if definition.key is not None else UNKNOWN
        written = written[1] if isinstance(written, tuple) and len(written) == 2 else written
        if path and isinstance(path[0], str) and isinstance(written, str) and written != path[0]:
            return True
        return self.proved(definition.value, moment, definition.path)

    def _of_call(self, node: ast.Call, at: Statement, path: Path) -> bool:
        name = called_name(node)
        dtype = effects.dtype_named(node)
        if dtype is not None and dtype.startswith(("int", "uint", "bool")):
            return True
        if (scene := self._world.entered(node, at.evaluate(node.func), at)) is not None:
            each = results(scene, each=True)
            found = each or results(scene, each=False)
            return bool(found) and all(self.proved(*pair, path[1:] if each else path) for pair in found)
        if name in _BORN or _is_of_json(node):
            return True
        if name in SPREADS and self._partly and _ran_once(at):
            # Of too few numbers these would have made all that is computed with them not finite.
            return self._all(operands_of(node, at), at)
        if path and (through := arranged(node, name, path)) is not None:
            return self.proved(through[0], at, through[1])
        if (each_of := applied(node, at)) is not None:
            return self._applied(*each_of, at, path)
        if name not in effects.SAME_NUMBERS | _KEEPING | effects.CASTS or _may_lose(node, name, dtype):
            return False
        operands = operands_of(node, at)
        return bool(operands) and self._all(operands, at, path if name in effects.SAME_NUMBERS | effects.CASTS else ())

    def _applied(self, function: ast.expr, items: ast.expr, at: Statement, path: Path) -> bool:
        """What a function makes of each of `items`."""
        element = ast.copy_location(ast.Name(id="<each>", ctx=ast.Load()), function)
        if isinstance(function, ast.Lambda):
            target = ast.Name(id=(function.args.args[0].arg if function.args.args else "_"), ctx=ast.Store())
            return self.proved(function.body, BoundStatement(at, [(target, items)]), path[1:])
        call = ast.copy_location(ast.Call(function, [element], []), function)
        return self._of_call(call, BoundStatement(at, [(element, items)]), path[1:])


def _ran_once(at: Statement | None) -> bool:
    """Whether a statement ran once for what the loss got: no loop that has ended stands around it or its callers."""
    for _ in range(_CALLERS):
        scene = getattr(at, "scene", None)
        if at is None or not isinstance(at, ReadStatement) or scene is None:
            return False
        parents = at.scope.source.parents
        current = parents.get(at.statement)
        while current is not None and current is not at.scope.node:
            if isinstance(current, ast.For | ast.While) and not _is_inside(scene.now, current, parents):
                return False
            current = parents.get(current)
        if scene.live is not None:
            return True
        at = next((moment for _, moment in scene.arguments().values()), None)
    return False


def _is_inside(node: ast.AST | None, around: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    while node is not None and node is not around:
        node = parents.get(node)
    return node is not None


def is_positive(node: ast.expr, at: Statement) -> bool:
    """Whether an expression is above zero by its words, if it is a number: `x.std() + 1e-8`, `x.clamp(min=1)`."""
    node, at = written_out(node, at)
    if isinstance(node, ast.Call) and called_name(node) in CLAMPING:
        least = [*node.args, *(word.value for word in node.keywords if word.arg in {"min", "a_min", "lower"})]
        return any(_is_above_zero(at.evaluate(bound)) for bound in least[:2])
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return False
    pairs = [(node.left, node.right), (node.right, node.left)]
    return any(_is_above_zero(at.evaluate(added)) and _is_not_negative(rest, at) for added, rest in pairs)


def _is_above_zero(value: Any) -> bool:
    return isinstance(value, int | float) and value > 0


def _is_not_negative(node: ast.expr, at: Statement) -> bool:
    node, _ = written_out(node, at)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return getattr(node.right, "value", None) == 2
    words = {"std", "var", "norm", "abs", "square", "sqrt", "len", "exp", "bincount", "relu", "softplus"}
    return isinstance(node, ast.Call) and called_name(node) in words


def written_out(node: ast.expr, at: Statement) -> tuple[ast.expr, Statement]:
    """The expression that a name stands for, where it is the only one."""
    found = at.definitions(node.id) if isinstance(node, ast.Name) else []
    definition, moment = found[0] if len(found) == 1 else (None, at)
    if definition is None or definition.value is None or definition.partial or definition.path:
        return node, at
    return definition.value, moment


def _is_mean_of(node: ast.expr, of: ast.expr, at: Statement) -> bool:
    """Whether an expression is the mean of `of`: `x.mean()`, `torch.mean(x, 0)`, or a name for one."""
    inner, moment = written_out(node, at)
    if not isinstance(inner, ast.Call) or called_name(inner) not in MEANS or not isinstance(of, ast.Name):
        return False
    same = [part for part in operands_of(inner, moment) if isinstance(part, ast.Name) and part.id == of.id]
    ours, theirs = ([d.statement for d, _ in m.definitions(of.id)] for m in (at, moment))
    return bool(same) and ours == theirs


def _may_lose(node: ast.Call, name: str, dtype: str | None) -> bool:
    """Whether a call may leave gaps where nothing fits, or make numbers infinite that are too large for its dtype."""
    return name in _LEAVING_GAPS or dtype == "float16" or (name == "where" and len(node.args) < 2)


def _is_of_json(node: ast.Call) -> bool:
    """Whether a call reads JSON or YAML, which have no words for what is not a number."""
    return ast.unparse(node.func) in {"json.load", "json.loads", "yaml.safe_load", "orjson.loads", "ujson.load"}
