"""Back from a bad value to the line that made it so: expression by expression, assignment by assignment."""

from __future__ import annotations

import ast
import time
import types
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from lossguard.tracing import effects
from lossguard.tracing.comprehensions import BoundMoment
from lossguard.tracing.evaluating import UNKNOWN
from lossguard.tracing.moments import Moment, called_name, project, recorded
from lossguard.tracing.reaching import EACH, Definition, Path, dotted
from lossguard.tracing.replay import Activation
from lossguard.tracing.scenes import World, results
from lossguard.tracing.sources import is_users
from lossguard.tracing.symptoms import Judgement, Symptom, described

_STEPS: Final = 400
#: Attributes that are the same numbers in another dress.
_DRESSES: Final = frozenset({"values", "data", "array", "T", "mT", "iloc", "loc", "at", "iat", "flat", "real"})
_LABELS: Final = ("label", "target", "class", "cls", "gt", "truth", "answer", "mask", "y")


@dataclass(frozen=True, slots=True)
class Step:
    """A statement on the way: the guilty one, or one that handed the bad value on."""

    file: str
    line: int
    code: str
    variable: str = ""
    before: str = ""
    after: str = ""
    note: str = ""
    #: The expression that made it bad; None for a step that only hands on.
    guilty: ast.expr | None = None
    moment: Moment | None = None


#: The steps, the oldest first; None when it cannot be told, empty when the way leads in a circle.
Chain = list[Step] | None


class Tracer:
    """One walk back, for one symptom."""

    def __init__(self, symptom: Symptom, world: World, deadline: float) -> None:
        self.symptom = symptom
        self.world = world
        self.deadline = deadline
        self._left = _STEPS
        self._seen: set[tuple[int, int, str]] = set()

    def back(self, node: ast.expr, at: Moment, path: Path = ()) -> Chain:
        """The chain that ends in the value of `node`, of which the part at `path` is bad."""
        self._left -= 1
        if self._left < 0 or time.monotonic() > self.deadline:
            return None
        if path and path[0] is EACH:
            value = at.evaluate(node)
            if _is_loader(value):
                return self.loaded(value, path[1:])
            own = self._iterated(value, path[1:])
            if own is not None:
                return own
        match node:
            case ast.Name(id=name):
                return self._name(name, at, path)
            case ast.Constant():
                return [self.guilty(node, at)]
            case ast.Attribute():
                return self._attribute(node, at, path)
            case ast.Subscript():
                return self._subscript(node, at, path)
            case ast.Call():
                return self._call(node, at, path)
            case ast.Starred(value=inner) | ast.Await(value=inner) | ast.NamedExpr(value=inner):
                return self.back(inner, at, path)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                answer = at.evaluate(test)
                if isinstance(answer, bool | int):
                    return self.back(body if answer else orelse, at, path)
                return self._one_of([(body, at), (orelse, at)], path)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return self._elements(node, elements, at, path)
            case ast.Dict(keys=keys, values=values):
                return self._entries(node, keys, values, at, path)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                return self.back(node.elt, BoundMoment.of(node, at, path[:1]), path[1:])
            case ast.DictComp():
                return self.back(node.value, BoundMoment.of_entries(node, at, path[:1]), path[1:])
            case ast.BinOp(left=left, right=right):
                return self._operation(node, [left, right], at, path)
            case ast.UnaryOp(operand=operand):
                return self._operation(node, [operand], at, path)
            case ast.Compare(left=left, comparators=others):
                return self._operation(node, [left, *others], at, path)
        return None

    # Names and attributes.

    def _name(self, name: str, at: Moment, path: Path) -> Chain:
        found = at.definitions(name)
        activation = getattr(at, "activation", None)
        if not found and activation is not None:
            outside = self.world.around(activation.globals, name)
            found = [pair for moment in outside for pair in moment.definitions(name)]
        return self._defined(name, found, path)

    def _defined(self, name: str, found: list[tuple[Definition, Moment]], path: Path) -> Chain:
        """Of the definitions that may hold, those that gave something bad; they must agree on one line."""
        filled = any(definition.grows for definition, _ in found)
        chains: list[list[Step]] = []
        circular = False
        for definition, moment in found:
            if (filled and _is_empty(definition.value)) or self._is_innocent(definition, moment, path):
                continue
            key = (id(definition.statement), getattr(moment, "number", 0), name)
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
        return _agreed(chains) if chains or not circular else []

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
            return not _is_frame(moment, name_of(definition))
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
            return self._handed_on(name, self.back(definition.value, moment, (*definition.path, *path)), moment)
        if self._is_part(definition, moment, path) or definition.grows:
            return self._handed_on(name, self.back(definition.value, moment, (*definition.path, *path[1:])), moment)
        return [self.guilty(definition.value, moment, variable=name)]

    def _given(self, name: str, moment: Moment, path: Path) -> Chain:
        """A parameter: on to what the caller gave for it."""
        given = moment.argument(name)
        if given is not None:
            return self._handed_on("", self.back(given[0], given[1], path), given[1])
        return self.entered(name, moment, path)

    def entered(self, name: str, moment: Moment, path: Path) -> Chain:
        """A parameter that no line of the user's gave; those who replay know more."""
        return None

    def loaded(self, loader: Any, path: Path) -> Chain:
        """A batch that came out of a loader; those who replay know more."""
        return None

    def stored(self, owner: Any, name: str, path: Path, at: Moment) -> Chain:
        """An attribute of an object; those who know where objects are made know more."""
        return None

    def _handed_on(self, name: str, chain: Chain, moment: Moment) -> Chain:
        if not chain:
            return chain
        statement = moment.statement
        step = self._step(statement.lineno, moment, variable=name, after="")
        if chain and (chain[-1].file, chain[-1].line) == (step.file, step.line):
            return [*chain[:-1], _named(chain[-1], name)]
        return [*chain, step]

    def _attribute(self, node: ast.Attribute, at: Moment, path: Path) -> Chain:
        base = at.evaluate(node.value)
        for call in _recorded_calls(at, node.attr):
            return self._into(call, path)
        name = dotted(node)
        if name and at.scope.assigns(name) and (found := at.definitions(name)):
            return self._defined(name, found, path)
        if base is not UNKNOWN and _is_users_object(base):
            return self.stored(base, node.attr, path, at)
        if node.attr in _DRESSES:
            return self.back(node.value, at, path)
        return self.back(node.value, at, (node.attr, *path))

    def _subscript(self, node: ast.Subscript, at: Moment, path: Path) -> Chain:
        calls = _recorded_calls(at, "__getitem__")
        base = at.evaluate(node.value)
        if calls and not _is_data(base):
            return self._into(self._worst(calls, path), path)
        if self.symptom.about == "shape":
            judged = self._judged(node.value, at, ())[1]
            return self.back(node.value, at) if judged is Judgement.BAD else [self.guilty(node, at)]
        key = at.evaluate(node.slice)
        whole = self._whole(node, at, path)
        if base is not UNKNOWN and key is not UNKNOWN and not _is_indexer(node.value):
            part = project(base, (key, *path))
            # A row of a frame is a series of its own: its dtype need not be the column's.
            if whole is Judgement.BAD and self.symptom.judge(part) is Judgement.GOOD:
                return [self.guilty(node, at)]
        if _is_indexer(node.value) and isinstance(node.value, ast.Attribute):
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

    def _call(self, node: ast.Call, at: Moment, path: Path) -> Chain:
        callee = at.evaluate(node.func)
        if calls := _fitting(at, node, callee):
            return self._handed_on("", self._into(self._worst(calls, path), path), at)
        static = self._entered_by_source(node, callee, at, path)
        if static is not None:
            return static[0]
        name = called_name(node)
        if name in {"next", "iter", "tqdm", "list", "tuple", "sorted", "reversed"} and node.args:
            inner = (EACH, *path) if name == "next" else path
            if inner and inner[0] is EACH or path:
                return self.back(node.args[0], at, inner)
        if path and (through := _elementwise(node, name, path)) is not None:
            return self.back(through[0], at, through[1])
        if name == "map" and len(node.args) == 2:
            return self._mapped(node, at, path)
        if name in {"TensorDataset"} and len(path) > 1 and isinstance(path[1], int) and path[1] < len(node.args):
            return self.back(node.args[path[1]], at, (path[0], *path[2:]))
        if name == "dict" and path:
            for word in node.keywords:
                if word.arg == path[0]:
                    return self.back(word.value, at, path[1:])
        return self._operation(node, _operands(node, at), at, path)

    def _mapped(self, node: ast.Call, at: Moment, path: Path) -> Chain:
        """`map(function, items)`: the function, then the items."""
        function, items = node.args
        callee = at.evaluate(function)
        if (calls := [call for call in at.calls if _code_of(callee) is call.code]) != []:
            return self._handed_on("", self._into(self._worst(calls, path[1:]), path[1:]), at)
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
        if _is_users_object(callee) and not isinstance(callee, type | types.FunctionType | types.MethodType):
            preset, function = {"self": callee}, _caller_of(callee)
        function = getattr(function, "__func__", function)
        if not isinstance(function, types.FunctionType):
            return None
        from lossguard.tracing.moments import bound

        given = {key: (value, at) for key, value in bound(node, function.__code__).items()}
        scene = self.world.function(function, given, preset)
        if scene is None:
            return None
        each = bool(path) and path[0] is EACH
        found = results(scene, each=True) if each else []
        rest = path[1:] if found else path
        return (self._handed_on("", self._one_of(found or results(scene, each=False), rest), at),)

    def _iterated(self, value: Any, path: Path) -> Chain:
        """A loop over an object of the user's with an `__iter__` of its own."""
        function = getattr(type(value), "__iter__", None) if _is_users_object(value) else None
        scene = self.world.function(function, {}, {"self": value}) if function is not None else None
        return self._one_of(list(results(scene, each=True)), path) if scene is not None else None

    def _one_of(self, found: Iterable[tuple[ast.expr, Moment]], path: Path) -> Chain:
        """Of several results or branches those that are bad; they must agree on one line."""
        chains: list[list[Step]] = []
        for node, moment in found:
            if self._whole(node, moment, path) in {Judgement.GOOD, Judgement.NEITHER}:
                continue
            chain = self._handed_on("", self.back(node, moment, path), moment)
            if chain is None:
                return None
            chains.append(chain)
        return _agreed(chains)

    def _into(self, call: Activation, path: Path) -> Chain:
        """Into a recorded call: back from what it returned."""
        moment = recorded(call)
        if moment is None:
            return None
        node = moment.scope.node
        if isinstance(node, ast.Lambda):
            return self._handed_on("", self.back(node.body, moment, path), moment)
        statement = moment.statement
        result = statement.value if isinstance(statement, ast.Return) else _yielded(statement)
        if result is None:
            return None
        return self._handed_on("", self.back(result, moment, path), moment)

    def _worst(self, calls: list[Activation], path: Path) -> Activation:
        """Of several recorded calls the one that gave something bad."""
        for call in calls:
            part = project(call.returned, path)
            if part is not UNKNOWN and self.symptom.judge(part) is Judgement.BAD:
                return call
        return calls[0]

    def _elements(self, node: ast.expr, elements: list[ast.expr], at: Moment, path: Path) -> Chain:
        if path and isinstance(path[0], int) and -len(elements) <= path[0] < len(elements):
            if not any(isinstance(element, ast.Starred) for element in elements):
                return self.back(elements[path[0]], at, path[1:])
        return self._operation(node, elements, at, path[1:])

    def _entries(
        self, node: ast.expr, keys: list[ast.expr | None], values: list[ast.expr], at: Moment, path: Path
    ) -> Chain:
        for key, value in zip(keys, values, strict=True):
            if path and key is not None and at.evaluate(key) == path[0]:
                return self.back(value, at, path[1:])
        spread = [value for key, value in zip(keys, values, strict=True) if key is None]
        if path and len(spread) == 1:
            return self.back(spread[0], at, path)
        return self._operation(node, values, at, path[1:])

    def _operation(self, node: ast.expr, operands: list[ast.expr], at: Moment, path: Path) -> Chain:
        """A computation: the fault is older if an operand is bad, and is here if none is."""
        judged = [(operand, *self._judged(operand, at, path)) for operand in operands]
        bad = [(operand, value) for operand, value, found in judged if found is Judgement.BAD]
        good = [(operand, value) for operand, value, found in judged if found is Judgement.GOOD]
        unknown = [operand for operand, _, found in judged if found is Judgement.UNKNOWN]
        carriers = [operand for operand, value in bad if _is_many(value)]
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
        if any(_is_many(value) for _, value in others):
            return True
        if any(_reads_like_label(operand) for operand, _ in bad):
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

    def sequence(self, node: ast.expr, layers: Any, given: Any, at: Moment) -> Chain:
        """A chain of layers; those who know where objects are made know more."""
        return None

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
        line = _line_of(node, at)
        after = described(value) if value is not UNKNOWN else ""
        return self._step(line, at, variable=variable, before=before, after=after, guilty=node)

    def _step(
        self,
        line: int,
        at: Moment,
        *,
        variable: str = "",
        before: str = "",
        after: str = "",
        guilty: ast.expr | None = None,
    ) -> Step:
        source = at.scope.source
        return Step(source.filename, line, source.line(line), variable, before, after, "", guilty, at)


def name_of(definition: Definition) -> str:
    """The name whose item a definition overwrites."""
    statement = definition.statement
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    while isinstance(target, ast.Subscript) or (isinstance(target, ast.Attribute) and not dotted(target)):
        target = target.value
    return dotted(target).partition(".")[0] if isinstance(target, ast.expr) else ""


def _is_frame(moment: Moment, name: str) -> bool:
    value = moment.value(name) if name else UNKNOWN
    return hasattr(value, "columns") or isinstance(value, dict | list)


def _is_empty(node: ast.expr | None) -> bool:
    """Whether an expression makes an empty container."""
    if isinstance(node, ast.List | ast.Tuple):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    return isinstance(node, ast.Call) and not node.args and called_name(node) in {"list", "dict", "set", "defaultdict"}


def _named(step: Step, name: str) -> Step:
    from dataclasses import replace

    return step if step.variable else replace(step, variable=name)


def _agreed(chains: list[list[Step]]) -> Chain:
    """The chain, if all begin at the same line."""
    told = [chain for chain in chains if chain]
    guilty = {(chain[0].file, chain[0].line) for chain in told}
    return told[0] if len(guilty) == 1 else None if guilty or not chains else []


def _line_of(node: ast.expr, at: Moment) -> int:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.end_lineno or node.lineno
    return getattr(node, "lineno", at.statement.lineno)


def _operands(node: ast.Call, at: Moment) -> list[ast.expr]:
    """What a call computes with: its receiver, unless that is a module, and its arguments."""
    found: list[ast.expr] = []
    if isinstance(node.func, ast.Attribute):
        base = at.evaluate(node.func.value)
        if not isinstance(base, types.ModuleType | type):
            found.append(node.func.value)
    found.extend(node.args)
    settings = {"dtype", "device", "dim", "axis", "size", "num_classes", "non_blocking", "copy", "keepdim"}
    found.extend(word.value for word in node.keywords if word.arg not in settings)
    return [operand for operand in found if not _is_setting(operand, at)]


def _is_setting(node: ast.expr, at: Moment) -> bool:
    """Whether an argument is a dtype, a device or a module, and no data."""
    value = at.evaluate(node)
    return isinstance(value, type | types.ModuleType) or type(value).__name__ in {"dtype", "device"}


def _elementwise(node: ast.Call, name: str, path: Path) -> tuple[ast.expr, Path] | None:
    """Calls that only arrange what is looped over: `enumerate`, `zip`, `DataLoader`, `dict.items`."""
    first, rest = path[0], path[1:]
    if name == "zip" and len(node.args) == 1 and isinstance(node.args[0], ast.Starred):
        return node.args[0].value, (rest[0] if rest else EACH, first, *rest[1:])
    if first is not EACH and not isinstance(first, int):
        return None
    if name == "enumerate" and node.args and rest[:1] == (1,):
        return node.args[0], (first, *rest[1:])
    if name == "zip" and rest and isinstance(rest[0], int) and rest[0] < len(node.args):
        return node.args[rest[0]], (first, *rest[1:])
    if name in {"DataLoader", "Subset", "random_split", "islice", "cycle", "chain"} and node.args:
        return node.args[0], (EACH, *rest)
    if not isinstance(node.func, ast.Attribute):
        return None
    if name == "items" and rest[:1] == (1,):
        return node.func.value, (EACH, *rest[1:])
    if name in {"iterrows", "itertuples"}:
        return node.func.value, rest[1:] if name == "iterrows" else rest
    return None


def _recorded_calls(at: Moment, name: str) -> list[Activation]:
    return [call for call in at.calls if call.code.co_name == name]


def _fitting(at: Moment, node: ast.Call, callee: Any) -> list[Activation]:
    """The recorded calls that this call expression made, the last first."""
    code = _code_of(callee)
    if code is not None and is_users(code.co_filename):
        return [call for call in reversed(at.calls) if call.code is code]
    if _is_users_object(callee):
        names = {"__call__", "forward"}
        return [call for call in reversed(at.calls) if call.code.co_name in names]
    return [call for call in reversed(at.calls) if call.code.co_name == called_name(node)]


def _code_of(function: Any) -> types.CodeType | None:
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def _caller_of(callee: Any) -> Any:
    """What runs when an object of the user's is called: a module's forward, or its `__call__`."""
    return getattr(type(callee), "forward", None) or getattr(type(callee), "__call__", None)


def _is_users_object(value: Any) -> bool:
    """Whether the class of `value` is written in a file of the user's."""
    import sys

    if value is UNKNOWN or value is None or isinstance(value, types.ModuleType | type | types.FunctionType):
        return False
    home = sys.modules.get(type(value).__module__)
    filename = getattr(home, "__file__", None)
    if type(value).__module__ == "__main__":
        return True
    return isinstance(filename, str) and is_users(filename)


def _is_data(value: Any) -> bool:
    return value is not UNKNOWN and (hasattr(value, "dtype") or isinstance(value, list | tuple | dict))


def _is_indexer(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in {"iloc", "loc", "at", "iat"}


def _is_loader(value: Any) -> bool:
    return hasattr(value, "batch_sampler") or hasattr(value, "_dataset_kind")


def _is_many(value: Any) -> bool:
    """Whether it holds more than one number."""
    if isinstance(value, list | tuple | dict):
        return len(value) > 0
    shape = getattr(value, "shape", ())
    return len(shape) > 0


def _reads_like_label(node: ast.expr) -> bool:
    words = [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]
    words += [inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)]
    words += [str(inner.value) for inner in ast.walk(node) if isinstance(inner, ast.Constant)]
    return any(word == "y" or any(mark in word.lower() for mark in _LABELS[:-1]) for word in words)


def _yielded(statement: ast.stmt) -> ast.expr | None:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield):
        return statement.value.value
    return None
