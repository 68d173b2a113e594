"""Back from a bad value to the line that made it so: expression by expression, assignment by assignment."""

from __future__ import annotations

import ast
import time
import types
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Final

from lossguard.tracing import effects
from lossguard.tracing.comprehensions import BoundMoment
from lossguard.tracing.evaluating import UNKNOWN
from lossguard.tracing.moments import Moment, bound, called_name, project, recorded
from lossguard.tracing.reaching import EACH, Definition, Path, dotted
from lossguard.tracing.recognising import (
    arranged,
    caller_of,
    code_of,
    fitting_calls,
    is_data,
    is_empty,
    is_frame,
    is_indexer,
    is_loader,
    is_many,
    is_users_object,
    name_of,
    operands_of,
    reads_like_label,
    recorded_calls,
    yielded,
)
from lossguard.tracing.replay import Activation
from lossguard.tracing.scenes import World, results
from lossguard.tracing.steps import Chain, Step, agreed, handed_on, line_of, step_at
from lossguard.tracing.symptoms import Judgement, Symptom, described

_STEPS: Final = 400
#: Attributes that are the same numbers in another dress.
_DRESSES: Final = frozenset({"values", "data", "array", "T", "mT", "iloc", "loc", "at", "iat", "flat", "real"})
#: Calls that hand on what they are given, or its elements.
_PASSING: Final = frozenset({"next", "iter", "tqdm", "list", "tuple", "sorted", "reversed"})


class Tracer(ABC):
    """One walk back, for one symptom."""

    def __init__(self, symptom: Symptom, world: World, deadline: float) -> None:
        self.symptom = symptom
        self.world = world
        self.deadline = deadline
        self._left = _STEPS
        self._seen: set[tuple[int | str, ...]] = set()

    def back(self, node: ast.expr, at: Moment, path: Path = ()) -> Chain:
        """The chain that ends in the value of `node`, of which the part at `path` is bad."""
        self._left -= 1
        if self._left < 0 or time.monotonic() > self.deadline:
            return None
        if path and path[0] is EACH:
            value = at.evaluate(node)
            if is_loader(value):
                return self.loaded(value, path[1:])
            own = self._iterated(value, path[1:])
            if own is not None:
                return own
        way = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        return None if way is None else way(node, at, path)

    # One way for each kind of expression.

    def _of_name(self, node: ast.Name, at: Moment, path: Path) -> Chain:
        found = at.definitions(node.id)
        activation = getattr(at, "activation", None)
        if not found and activation is not None:
            outside = self.world.around(activation.globals, node.id)
            found = [pair for moment in outside for pair in moment.definitions(node.id)]
        return self._defined(node.id, found, path)

    def _of_constant(self, node: ast.Constant, at: Moment, _: Path) -> Chain:
        return [self.guilty(node, at)]

    def _of_starred(self, node: ast.Starred | ast.Await | ast.NamedExpr, at: Moment, path: Path) -> Chain:
        return self.back(node.value, at, path)

    _of_await = _of_namedexpr = _of_starred

    def _of_ifexp(self, node: ast.IfExp, at: Moment, path: Path) -> Chain:
        answer = at.evaluate(node.test)
        if isinstance(answer, bool | int):
            return self.back(node.body if answer else node.orelse, at, path)
        return self._one_of([(node.body, at), (node.orelse, at)], path)

    def _of_tuple(self, node: ast.Tuple | ast.List, at: Moment, path: Path) -> Chain:
        elements = node.elts
        countable = not any(isinstance(element, ast.Starred) for element in elements)
        if path and countable and isinstance(path[0], int) and -len(elements) <= path[0] < len(elements):
            return self.back(elements[path[0]], at, path[1:])
        return self._operation(node, elements, at, path[1:])

    _of_list = _of_tuple

    def _of_dict(self, node: ast.Dict, at: Moment, path: Path) -> Chain:
        for key, value in zip(node.keys, node.values, strict=True):
            if path and key is not None and at.evaluate(key) == path[0]:
                return self.back(value, at, path[1:])
        spread = [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
        if path and len(spread) == 1:
            return self.back(spread[0], at, path)
        return self._operation(node, node.values, at, path[1:])

    def _of_listcomp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, at: Moment, path: Path) -> Chain:
        return self.back(node.elt, BoundMoment.of(node, at, path[:1]), path[1:])

    _of_generatorexp = _of_setcomp = _of_listcomp

    def _of_dictcomp(self, node: ast.DictComp, at: Moment, path: Path) -> Chain:
        return self.back(node.value, BoundMoment.of_entries(node, at, path[:1]), path[1:])

    def _of_binop(self, node: ast.BinOp, at: Moment, path: Path) -> Chain:
        return self._operation(node, [node.left, node.right], at, path)

    def _of_unaryop(self, node: ast.UnaryOp, at: Moment, path: Path) -> Chain:
        return self._operation(node, [node.operand], at, path)

    def _of_compare(self, node: ast.Compare, at: Moment, path: Path) -> Chain:
        return self._operation(node, [node.left, *node.comparators], at, path)

    # Names and attributes.

    def _defined(self, name: str, found: list[tuple[Definition, Moment]], path: Path) -> Chain:
        """Of the definitions that may hold, those that gave something bad; they must agree on one line."""
        filled = any(definition.grows for definition, _ in found)
        chains: list[list[Step]] = []
        circular = False
        for definition, moment in found:
            if (filled and is_empty(definition.value)) or self._is_innocent(definition, moment, path):
                continue
            when = getattr(moment, "number", 0), id(getattr(moment, "activation", None))
            key = (id(definition.statement), id(moment.scope.node), *when, name)
            if key in self._seen:
                circular = True
                continue
            self._seen.add(key)
            chain = self._from(name, definition, moment, path)
            if chain is None:
                return None
            if chain and definition.partial:
                return chain
            chains.append(chain)
        return agreed(chains) if chains or not circular else []

    def _is_innocent(self, definition: Definition, moment: Moment, path: Path) -> bool:
        """Whether what this definition gave is known not to be bad, or to be another part."""
        if definition.value is None:
            return False
        if isinstance(definition.value, ast.Constant) and definition.value.value is None:
            return True
        whose = self._is_part(definition, moment, path)
        if whose is not None:
            return not whose
        value = project(moment.evaluate(definition.value), definition.path)
        value = value if definition.partial else project(value, path)
        if definition.partial and not definition.grows and self.symptom.about in {"dtype", "shape"}:
            return not is_frame(moment, name_of(definition))
        if value is UNKNOWN:
            return False
        judged = self.symptom.judge(value)
        return judged is Judgement.GOOD or (definition.partial and judged is not Judgement.BAD)

    def _is_part(self, definition: Definition, moment: Moment, path: Path) -> bool | None:
        """For `table["label"] = ...`: whether it is the part that is looked at; None if that cannot be told."""
        if definition.key is None or not path or not isinstance(path[0], str):
            return None
        key = moment.evaluate(definition.key)
        key = key[1] if isinstance(key, tuple) and len(key) == 2 else key
        return key == path[0] if isinstance(key, str) else None

    def _from(self, name: str, definition: Definition, moment: Moment, path: Path) -> Chain:
        if definition.parameter:
            return self._given(name, moment, path)
        if definition.value is None:
            return None
        if not definition.partial:
            return handed_on(name, self.back(definition.value, moment, (*definition.path, *path)), moment)
        if self._is_part(definition, moment, path) or definition.grows:
            return handed_on(name, self.back(definition.value, moment, (*definition.path, *path[1:])), moment)
        return [self.guilty(definition.value, moment, variable=name)]

    def _given(self, name: str, moment: Moment, path: Path) -> Chain:
        """A parameter: on to what the caller gave for it."""
        given = moment.argument(name)
        if given is not None:
            return handed_on("", self.back(given[0], given[1], path), given[1])
        return self.entered(moment, path)

    @abstractmethod
    def entered(self, moment: Moment, path: Path) -> Chain:
        """A parameter that no line of the user's gave."""

    @abstractmethod
    def loaded(self, loader: Any, path: Path) -> Chain:
        """A batch that came out of a loader."""

    @abstractmethod
    def stored(self, owner: Any, name: str, path: Path, at: Moment) -> Chain:
        """An attribute of an object."""

    def _of_attribute(self, node: ast.Attribute, at: Moment, path: Path) -> Chain:
        base = at.evaluate(node.value)
        for call in recorded_calls(at, node.attr):
            return self._into(call, path)
        name = dotted(node)
        if name and at.scope.assigns(name) and (found := at.definitions(name)):
            return self._defined(name, found, path)
        if base is not UNKNOWN and is_users_object(base):
            return self.stored(base, node.attr, path, at)
        if node.attr in _DRESSES:
            return self.back(node.value, at, path)
        return self.back(node.value, at, (node.attr, *path))

    def _of_subscript(self, node: ast.Subscript, at: Moment, path: Path) -> Chain:
        calls = recorded_calls(at, "__getitem__")
        base = at.evaluate(node.value)
        if calls and not is_data(base):
            return self._into(self._worst(calls, path), path)
        if self.symptom.about == "shape":
            judged = self._judged(node.value, at, ())[1]
            return self.back(node.value, at) if judged is Judgement.BAD else [self.guilty(node, at)]
        key = at.evaluate(node.slice)
        whole = self._whole(node, at, path)
        if base is not UNKNOWN and key is not UNKNOWN and not is_indexer(node.value):
            part = project(base, (key, *path))
            # A row of a frame is a series of its own: its dtype need not be the column's.
            if whole is Judgement.BAD and self.symptom.judge(part) is Judgement.GOOD:
                return [self.guilty(node, at)]
        if is_indexer(node.value) and isinstance(node.value, ast.Attribute):
            return self._row(node, node.value.value, key, at, path)
        if key is UNKNOWN:
            # Which element it is cannot be told, but that it is one can.
            key = EACH
        return self.back(node.value, at, (key, *path))

    def _row(self, node: ast.Subscript, frame: ast.expr, key: Any, at: Moment, path: Path) -> Chain:
        """`frame.iloc[row]` or `frame.loc[row, column]`: the column was whole, or the row made it float."""
        column = (key[1],) if isinstance(key, tuple) and len(key) == 2 else ()
        rest = path[1:] if not column and path else path
        column = column or path[:1]
        value = project(at.evaluate(frame), column) if column else UNKNOWN
        if value is not UNKNOWN and self.symptom.about == "dtype":
            judged = self.symptom.judge(project(value, rest))
            if judged is Judgement.GOOD:
                return [self.guilty(node, at, before=described(value))]
        return self.back(frame, at, (*column, *rest) if column else (EACH, *path))

    # Calls and operations.

    def _of_call(self, node: ast.Call, at: Moment, path: Path) -> Chain:
        callee = at.evaluate(node.func)
        if calls := fitting_calls(at, node, callee):
            return handed_on("", self._into(self._worst(calls, path), path), at)
        static = self._entered_by_source(node, callee, at, path)
        if static is not None:
            return static[0]
        name = called_name(node)
        if name in _PASSING and node.args and (path or name == "next"):
            return self.back(node.args[0], at, (EACH, *path) if name == "next" else path)
        if path and (through := arranged(node, name, path)) is not None:
            return self.back(through[0], at, through[1])
        if name == "map" and len(node.args) == 2:
            return self._mapped(node, at, path)
        return self._operation(node, operands_of(node, at), at, path)

    def _mapped(self, node: ast.Call, at: Moment, path: Path) -> Chain:
        """`map(function, items)`: the function, then the items."""
        function, items = node.args
        callee = at.evaluate(function)
        if (calls := [call for call in at.calls if code_of(callee) is call.code]) != []:
            return handed_on("", self._into(self._worst(calls, path[1:]), path[1:]), at)
        if isinstance(function, ast.Lambda):
            return self.back(function.body, BoundMoment.of_lambda(function, items, at, path[:1]), path[1:])
        return self._operation(node, [items], at, path)

    def _entered_by_source(self, node: ast.Call, callee: Any, at: Moment, path: Path) -> tuple[Chain] | None:
        """Into a function of the user's that is only known as source; None if it is none of his."""
        preset: dict[str, Any] = {}
        if isinstance(node.func, ast.Attribute):
            owner = at.evaluate(node.func.value)
            if owner is not UNKNOWN and not isinstance(owner, types.ModuleType):
                preset = {"self": owner}
        function = callee
        if is_users_object(callee) and not isinstance(callee, type | types.FunctionType | types.MethodType):
            preset, function = {"self": callee}, caller_of(callee)
        function = getattr(function, "__func__", function)
        if not isinstance(function, types.FunctionType):
            return None
        given = {key: (value, at) for key, value in bound(node, function.__code__).items()}
        scene = self.world.function(function, given, preset)
        if scene is None:
            return None
        each = bool(path) and path[0] is EACH
        found = results(scene, each=True) if each else []
        rest = path[1:] if found else path
        return (handed_on("", self._one_of(found or results(scene, each=False), rest), at),)

    def _iterated(self, value: Any, path: Path) -> Chain:
        """A loop over an object of the user's with an `__iter__` of its own."""
        function = getattr(type(value), "__iter__", None) if is_users_object(value) else None
        scene = self.world.function(function, {}, {"self": value}) if function is not None else None
        return self._one_of(list(results(scene, each=True)), path) if scene is not None else None

    def _one_of(self, found: Iterable[tuple[ast.expr, Moment]], path: Path) -> Chain:
        """Of several results or branches those that are bad; they must agree on one line."""
        chains: list[list[Step]] = []
        for node, moment in found:
            if self._whole(node, moment, path) in {Judgement.GOOD, Judgement.NEITHER}:
                continue
            chain = handed_on("", self.back(node, moment, path), moment)
            if chain is None:
                return None
            chains.append(chain)
        return agreed(chains)

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
        return handed_on("", self.back(result, moment, path), moment)

    def _worst(self, calls: list[Activation], path: Path) -> Activation:
        """Of several recorded calls the one that gave something bad."""
        for call in calls:
            part = project(call.returned, path)
            if part is not UNKNOWN and self.symptom.judge(part) is Judgement.BAD:
                return call
        return calls[0]

    def _operation(self, node: ast.expr, operands: list[ast.expr], at: Moment, path: Path) -> Chain:
        """A computation: the fault is older if an operand is bad, and is here if none is."""
        judged = [(operand, *self._judged(operand, at, path)) for operand in operands]
        bad = [(operand, value) for operand, value, found in judged if found is Judgement.BAD]
        good = [(operand, value) for operand, value, found in judged if found is Judgement.GOOD]
        unknown = [operand for operand, _, found in judged if found is Judgement.UNKNOWN]
        carriers = [operand for operand, value in bad if is_many(value)]
        if carriers:
            return self.back(carriers[0], at, path)
        if bad and (self.symptom.name == "non-finite" or not self._is_mixed(bad, good, unknown)):
            return self.back(bad[0][0], at, path)
        callee = at.evaluate(node.func) if isinstance(node, ast.Call) else UNKNOWN
        if type(callee).__name__ == "Sequential":
            return self.sequence(node, callee, judged[-1][1] if judged else UNKNOWN, at)
        if bad or not unknown:
            before = described(good[0][1]) if good else ""
            return [self.guilty(node, at, before=before)]
        return self._by_words(node, unknown, at, path)

    def _is_mixed(
        self, bad: list[tuple[ast.expr, Any]], good: list[tuple[ast.expr, Any]], unknown: list[ast.expr]
    ) -> bool:
        """Whether the label is the operand that is good, and something bad was mixed into it here."""
        if any(isinstance(operand, ast.Constant) for operand, _ in bad):
            return bool([operand for operand, _ in good if not isinstance(operand, ast.Constant)] or unknown)
        others = [(operand, value) for operand, value in good if not isinstance(operand, ast.Constant)]
        if any(is_many(value) for _, value in others):
            return True
        if any(reads_like_label(operand) for operand, _ in bad):
            return False
        return bool(others) or bool(unknown)

    def _by_words(self, node: ast.expr, unknown: list[ast.expr], at: Moment, path: Path) -> Chain:
        """Values are not known: go by what the operation is called."""
        callee = at.evaluate(node.func) if isinstance(node, ast.Call) else UNKNOWN
        layer = type(callee).__name__ if hasattr(callee, "forward") else ""
        effect = effects.effect_of(node, self.symptom.name, layer)
        if effect in {effects.MAKES, effects.BEARS}:
            return [self.guilty(node, at)]
        if effect is effects.KEEPS and unknown:
            return self.back(unknown[0], at, path)
        if any(effects.effect_of(operand, self.symptom.name) is effects.MAKES for operand in unknown[1:]):
            return [self.guilty(node, at)]
        return None

    @abstractmethod
    def sequence(self, node: ast.expr, layers: Any, given: Any, at: Moment) -> Chain:
        """A chain of layers."""

    def _judged(self, node: ast.expr, at: Moment, path: Path) -> tuple[Any, Judgement]:
        value = at.evaluate(node)
        if value is UNKNOWN:
            return value, self._by_sight(node, at)
        part = project(value, path)
        part = value if part is UNKNOWN else part
        return part, self.symptom.judge(part)

    def _by_sight(self, node: ast.expr, at: Moment) -> Judgement:
        """What an expression without a known value must be."""
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.Lambda):
            return Judgement.NEITHER
        if isinstance(node, ast.List | ast.Tuple) and node.elts:
            inner = [self._judged(element, at, ())[1] for element in node.elts]
            return (
                Judgement.UNKNOWN
                if Judgement.UNKNOWN in inner
                else Judgement.BAD
                if Judgement.BAD in inner
                else inner[0]
            )
        return Judgement.UNKNOWN

    def _whole(self, node: ast.expr, at: Moment, path: Path) -> Judgement:
        value = at.evaluate(node)
        part = project(value, path) if value is not UNKNOWN else UNKNOWN
        return Judgement.UNKNOWN if part is UNKNOWN else self.symptom.judge(part)

    # Steps.

    def guilty(self, node: ast.expr, at: Moment, before: str = "", variable: str = "") -> Step:
        """The step at which the value became bad."""
        value = at.evaluate(node)
        line = line_of(node, at)
        after = described(value) if value is not UNKNOWN else ""
        return step_at(line, at, variable, before, after, node)
