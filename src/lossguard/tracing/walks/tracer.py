"""Back from a bad value to the line that made it so: expression by expression, assignment by assignment."""

from __future__ import annotations

import ast
import time
import types
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Final

from lossguard.operations.table import named
from lossguard.paths import is_users
from lossguard.tracing.evidence.replay import Activation
from lossguard.tracing.links.comprehensions import BoundStatement, innermost
from lossguard.tracing.links.datasets import fields_of
from lossguard.tracing.links.recognising import (
    branches_of,
    implied_operand,
    is_empty,
    is_filling,
    is_loader,
    is_many,
    is_mark,
    is_one_number,
    is_part,
    is_text_source,
    is_users_object,
    loop_around,
    of_joined,
    path_within,
    reads_like_label,
    recorded_calls,
)
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.links.views import ProgramView
from lossguard.tracing.program.reaching import EACH, KEYS, Definition, Path, dotted
from lossguard.tracing.symptoms import effects
from lossguard.tracing.symptoms.symptom import MISSING, Judgement, Symptom, described
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.layers import has_lost_weights
from lossguard.tracing.walks.blending import is_mixed, is_statistic, summands
from lossguard.tracing.walks.judging import entry_in, is_output, judge_expression, judged_whole, path_into, rules_out
from lossguard.tracing.walks.steps import Chain, Step, agreed, given_to, handed_on, is_constant, line_of, step_at

_STEPS: Final = 400
_DEEP: Final = 24
#: So many names and sums one after the other are looked through for what is not finite.
_NAMES: Final = 6
#: What only labels are bad for.
_OF_LABELS: Final = frozenset({"floating", "fractional", "outside"})
#: What a model's last step is bad for; not by its meaning, but by its numbers.
_BEYOND: Final = effects.OF_OUTPUTS - {"scores"}
#: Attributes that are the same numbers in another dress.
_DRESSES: Final = named("values", "same", home="attribute")


class Tracer(ABC):
    """One walk back, for one symptom."""

    def __init__(self, symptom: Symptom, world: ProgramView, deadline: float) -> None:
        self.symptom = symptom
        self.world = world
        self.deadline = deadline
        #: Whether the way led to weights that are not finite themselves.
        self.weights_lost = False
        self._left = _STEPS
        self._seen: set[tuple[int | str, ...]] = set()

    def back(self, node: ast.expr, at: Statement, path: Path = ()) -> Chain:
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
        # A kind of expression that has no way of its own is not followed: where its value came from is unknown.
        way = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        return None if way is None else way(node, at, path)

    def is_bad(self, value: Any) -> bool:
        """Whether a value is known to be bad."""
        return value is not UNKNOWN and self.symptom.judge(value) is Judgement.BAD

    # One way for each kind of expression.

    def _of_name(self, node: ast.Name, at: Statement, path: Path) -> Chain:
        if (changed := self._changed(node.id, at, path)) is not None:
            return changed
        found = at.definitions(node.id)
        activation = getattr(innermost(at), "activation", None)
        if not found and activation is not None:
            outside = self.world.around(activation.globals, node.id)
            found = [pair for moment in outside for pair in moment.definitions(node.id)]
        return self._defined(node.id, found, path)

    def _of_constant(self, node: ast.Constant, at: Statement, _: Path) -> Chain:
        return [self.culprit(node, at)]

    def _of_starred(self, node: ast.Starred | ast.Await | ast.NamedExpr, at: Statement, path: Path) -> Chain:
        return self.back(node.value, at, path)

    _of_await = _of_namedexpr = _of_starred

    def _of_ifexp(self, node: ast.IfExp, at: Statement, path: Path) -> Chain:
        found = branches_of(node, at)
        return self.back(found[0], at, path) if len(found) == 1 else self._one_of([(part, at) for part in found], path)

    def _of_tuple(self, node: ast.Tuple | ast.List, at: Statement, path: Path) -> Chain:
        elements = node.elts
        if self.symptom.about == "kind" and not path:
            return [self.culprit(node, at)]
        if not elements:
            return None
        countable = not any(isinstance(element, ast.Starred) for element in elements)
        if path and countable and isinstance(path[0], int) and -len(elements) <= path[0] < len(elements):
            return self.back(elements[path[0]], at, path[1:])
        if path and countable and isinstance(path[0], int) and node not in at.scope.source.parents:
            return None  # what was given for `*args`, and this was given by its name
        if self.symptom.name == "column" and len(elements) == 1 and is_one_number(elements[0], at):
            return [self.culprit(node, at, before="a number")]
        return self._operation(node, elements, at, path[1:])

    _of_list = _of_tuple

    def _of_dict(self, node: ast.Dict, at: Statement, path: Path) -> Chain:
        for key, value in zip(node.keys, node.values, strict=True):
            if path and key is not None and at.evaluate(key) == path[0]:
                return self.back(value, at, path[1:])
        if not node.values:
            return None
        if path[:1] == (KEYS,):
            return self._operation(node, [key for key in node.keys if key is not None], at, path[1:])
        spread = [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
        if path and len(spread) == 1:
            return self.back(spread[0], at, path)
        asked = path[0] if path and isinstance(path[0], list) else path[:1]
        if any(isinstance(key, str) for key in asked):
            # Entries by their names: what stands under other names is another matter.
            named = [(at.evaluate(key), value) for key, value in zip(node.keys, node.values, strict=True) if key]
            own = [value for key, value in named if key is UNKNOWN or key in asked]
            return self._operation(node, own, at, path[1:]) if own else None
        return self._operation(node, node.values, at, path[1:])

    def _of_listcomp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, at: Statement, path: Path) -> Chain:
        return self.back(node.elt, BoundStatement.of(node, at, path[:1], self.is_bad), path[1:])

    _of_generatorexp = _of_setcomp = _of_listcomp

    def _of_dictcomp(self, node: ast.DictComp, at: Statement, path: Path) -> Chain:
        made = node.key if path[:1] == (KEYS,) else node.value
        return self.back(made, BoundStatement.of(node, at, path[:1], self.is_bad), path[1:])

    def _of_binop(self, node: ast.BinOp, at: Statement, path: Path) -> Chain:
        part, path = of_joined(node, path, at)
        if part is not node:
            return self.back(part, at, path)
        return self._operation(node, [node.left, node.right], at, path)

    def _of_unaryop(self, node: ast.UnaryOp, at: Statement, path: Path) -> Chain:
        if isinstance(node.operand, ast.Constant):
            return [self.culprit(node, at)]
        return self._operation(node, [node.operand], at, path)

    def _of_compare(self, node: ast.Compare, at: Statement, path: Path) -> Chain:
        if effects.makes_anew(node, self.symptom.name, self.symptom.about):
            # True and False are neither floating nor missing: then the way back has gone wrong.
            strange = self.symptom.name in {*MISSING, "fractional"} or "float" in self.symptom.name
            return None if strange else [self.culprit(node, at)]
        return self._operation(node, [node.left, *node.comparators], at, path)

    # Names and attributes.

    def _defined(self, name: str, found: list[tuple[Definition, Statement]], path: Path) -> Chain:
        """Of the definitions that may hold, those that gave something bad; they must agree on one line."""
        if self.symptom.about == "kind" and not path:
            # What a container is does not change by what is put into it.
            found = [pair for pair in found if not pair[0].partial]
        filled = any(definition.partial for definition, _ in found)
        chains: list[list[Step]] = []
        circular = False
        for definition, moment in found:
            if (filled and is_empty(definition.value)) or self._is_ruled_out(definition, moment, path):
                continue
            if definition.parameter and len(found) > 1 and self._is_given_good(name, moment, path):
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

    def _is_ruled_out(self, definition: Definition, moment: Statement, path: Path) -> bool:
        """Whether what this definition gave is known not to be bad, or to be another part."""
        return rules_out(self.symptom, definition, moment, path)

    def _from(self, name: str, definition: Definition, moment: Statement, path: Path) -> Chain:
        if definition.parameter:
            return self._given(name, moment, path)
        if definition.value is None:
            return None
        if not definition.partial:
            return handed_on(name, self.back(definition.value, moment, (*definition.path, *path)), moment)
        if path[:1] == (KEYS,):
            return None
        if is_part(definition, moment, path) or definition.grows:
            within, loop = path_within(definition, moment, path), loop_around(definition, moment)
            if loop is not None:
                moment = BoundStatement(moment, [(loop.target, loop.iter)], EACH, path[0])
            return handed_on(name, self.back(definition.value, moment, (*definition.path, *within)), moment)
        if self.symptom.about == "values" and not is_mark(definition.value, moment):
            chain = handed_on(name, self.back(definition.value, moment, definition.path), moment)
            return (
                chain
                if not is_constant(chain, self.symptom)
                else [self.culprit(definition.value, moment, variable=name)]
            )
        return [self.culprit(definition.value, moment, variable=name)]

    def _given(self, name: str, moment: Statement, path: Path) -> Chain:
        """A parameter: on to what the caller gave for it."""
        given = moment.argument(name)
        if given is not None:
            return handed_on("", self.back(given[0], given[1], path), given[1])
        return self.entered(moment, path)

    def _is_given_good(self, name: str, moment: Statement, path: Path) -> bool:
        """Whether what the caller gave for a parameter is known to be good."""
        given = moment.argument(name)
        return given is not None and judged_whole(self.symptom, *given, path) is Judgement.GOOD

    @abstractmethod
    def entered(self, moment: Statement, path: Path) -> Chain:
        """A parameter that no line of the user's gave."""

    @abstractmethod
    def loaded(self, loader: Any, path: Path) -> Chain:
        """A batch that came out of a loader."""

    @abstractmethod
    def stored(self, owner: Any, name: str, path: Path, at: Statement) -> Chain:
        """An attribute of an object."""

    def _of_attribute(self, node: ast.Attribute, at: Statement, path: Path) -> Chain:
        base = at.evaluate(node.value)
        for call in recorded_calls(at, node.attr):
            return self._into(call, path)
        name = dotted(node)
        if name and at.scope.assigns(name) and (found := at.definitions(name)):
            return self._defined(name, found, path)
        if node.attr in fields_of(type(base)) and (chain := self.back(node.value, at, (node.attr, *path))) is not None:
            return chain
        if isinstance(base, types.ModuleType):
            return self._of_module(node, base, at, path)
        if base is not UNKNOWN and is_users_object(base):
            return self.stored(base, node.attr, path, at)
        gone = at.handle(node.value.id) if base is UNKNOWN and isinstance(node.value, ast.Name) else None
        if gone is not None and (chain := self.stored(gone, node.attr, path, at)) is not None:
            return chain
        if node.attr in _DRESSES:
            return self.back(node.value, at, path)
        if node.attr == "codes":
            # The numbers of categories, whatever the categories are.
            return [self.culprit(node, at)]
        return self.back(node.value, at, (node.attr, *path))

    def _of_module(self, node: ast.Attribute, module: types.ModuleType, at: Statement, path: Path) -> Chain:
        """A name of a module: of the user's, on to where it is defined; a constant of a library, as `math.inf` is."""
        if not is_users(getattr(module, "__file__", None) or ""):
            return [self.culprit(node, at)] if self.is_bad(at.evaluate(node)) else None
        outside = self.world.around(vars(module), node.attr)
        return self._defined(node.attr, [pair for moment in outside for pair in moment.definitions(node.attr)], path)

    # Calls and operations.

    @abstractmethod
    def _into(self, call: Activation, path: Path) -> Chain:
        """Into a recorded call: back from what it returned."""

    @abstractmethod
    def _changed(self, name: str, at: Statement, path: Path) -> Chain:
        """The statement that changed in place what a name holds, and made it bad."""

    @abstractmethod
    def _worst(self, calls: list[Activation], path: Path) -> Activation:
        """Of several recorded calls the one that gave something bad."""

    @abstractmethod
    def _iterated(self, value: Any, path: Path) -> Chain:
        """A loop over an object of the user's with an `__iter__` of its own."""

    def _one_of(self, found: Iterable[tuple[ast.expr, Statement]], path: Path) -> Chain:
        """Of several results or branches those that are bad; they must agree on one line."""
        chains: list[list[Step]] = []
        for node, moment in found:
            if judged_whole(self.symptom, node, moment, path) in {Judgement.GOOD, Judgement.NEITHER}:
                continue
            chain = handed_on("", self.back(node, moment, path), moment)
            if chain is None:
                return None
            chains.append(chain)
        return agreed(chains)

    def _operation(self, node: ast.expr, operands: list[ast.expr], at: Statement, path: Path) -> Chain:
        """A computation: the fault is older if an operand is bad, and is here if none is."""
        callee = at.evaluate(node.func) if isinstance(node, ast.Call) else UNKNOWN
        if self.symptom.name in _OF_LABELS and hasattr(callee, "forward"):
            # What a layer gives is no label yet, and what it is given still less.
            return None
        made_here = self.symptom.name in _BEYOND and is_output(self.symptom, node, callee)
        if made_here or effects.makes_anew(node, self.symptom.name, self.symptom.about):
            return [self.culprit(node, at)]
        if self.symptom.name in _BEYOND and type(callee).__name__ == "Sequential":
            return self.sequence(node, callee, UNKNOWN, at)
        judged = [
            (operand, *judge_expression(self.symptom, operand, at, path_into(self.symptom, node, operand, at, path)))
            for operand in operands
        ]
        bad = [(operand, value) for operand, value, found in judged if found is Judgement.BAD]
        good = [(operand, value) for operand, value, found in judged if found is Judgement.GOOD]
        unknown = [operand for operand, _, found in judged if found is Judgement.UNKNOWN]
        if self.symptom.name == "non-finite" and any(map(has_lost_weights, [callee, *(value for _, value in bad)])):
            # No line made the weights so: the training did.
            self.weights_lost = True
            return None
        carriers = [operand for operand, value in bad if is_many(value)]
        carriers = [operand for operand in carriers if not is_statistic(node, operand, good, at, self.symptom)]
        if carriers:
            within = path_into(self.symptom, node, carriers[0], at, path)
            return self.back(carriers[0], at, entry_in(self.symptom, at.evaluate(carriers[0]), within))
        if bad and (self.symptom.name in MISSING or not is_mixed(bad, good, unknown)):
            chain = self.back(bad[0][0], at, path)
            # A constant may be meant for anything; what it was filled in for is said here.
            return [self.culprit(node, at)] if chain and is_filling(node, chain[0].culprit) else chain
        if type(callee).__name__ == "Sequential":
            return self.sequence(node, callee, judged[-1][1] if judged else UNKNOWN, at)
        if bad or not unknown:
            return [self.culprit(node, at, before=given_to(node, good, at.evaluate(node), self.symptom))]
        implied = implied_operand(node, unknown, at, self.symptom.values)
        if implied is not UNKNOWN:
            return self.back(unknown[0], at, path) if self.is_bad(implied) else [self.culprit(node, at)]
        return self._blended(node, at) or self._by_words(node, unknown, at, path)

    def _blended(self, node: ast.expr, at: Statement) -> Chain:
        """Labels that are known, mixed with numbers that are not: if they were good, they became bad here."""
        if not isinstance(node, ast.BinOp) or self.symptom.name not in {"fractional", "floating"}:
            return None
        judged = [(part, *judge_expression(self.symptom, part, at, ())) for part in summands(node)]
        carriers = [part for part, value, found in judged if found is Judgement.BAD and is_many(value)]
        if carriers:
            return self.back(carriers[0], at)
        labels = [part for part, value, found in judged if found is Judgement.GOOD and is_many(value)]
        unsure = [part for part, _, found in judged if found is Judgement.UNKNOWN and reads_like_label(part)]
        return [self.culprit(node, at)] if labels and not unsure else None

    def _by_words(self, node: ast.expr, unknown: list[ast.expr], at: Statement, path: Path) -> Chain:
        """Values are not known: go by what the operation is called."""
        callee = at.evaluate(node.func) if isinstance(node, ast.Call) else UNKNOWN
        layer = type(callee).__name__ if hasattr(callee, "forward") else ""
        effect = effects.effect_of(node, self.symptom.name, layer)
        if effect in {effects.MAKES, effects.CREATES}:
            return [self.culprit(node, at)]
        if effect is effects.KEEPS and unknown:
            chain = self.back(unknown[0], at, path)
            # A number that is read out of a text comes into being here, and not where the text was opened. Of a
            # comparison, which is no number yet, it is made by the cast.
            compared = self.symptom.name == "zeros and ones" and effects.casts(node)
            born = chain and (
                is_text_source(chain[0].culprit) or (compared and isinstance(chain[0].culprit, ast.Compare))
            )
            return [self.culprit(node, at)] if born else chain
        if any(effects.effect_of(operand, self.symptom.name) is effects.MAKES for operand in unknown[1:]):
            return [self.culprit(node, at)]
        return None

    @abstractmethod
    def sequence(self, node: ast.expr, layers: Any, given: Any, at: Statement) -> Chain:
        """A chain of layers."""

    # Steps.

    def culprit(self, node: ast.expr, at: Statement, before: str = "", variable: str = "") -> Step:
        """The step at which the value became bad."""
        value = at.evaluate(node)
        line = line_of(node, at)
        after = described(value) if value is not UNKNOWN else ""
        return step_at(line, at, variable, before, after, node)
