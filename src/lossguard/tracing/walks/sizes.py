"""Labels beyond a size: they may be sound, and the layer, the table or the number of classes too small for them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from lossguard.operations.roles import (
    COUNTING,
    DISTINCT,
    LARGEST,
    LENGTHS,
    MEASURING,
    NUMBERING,
    OPTIONS,
    RANGES,
)
from lossguard.operations.table import named
from lossguard.tracing.links.datasets import argument_of_many
from lossguard.tracing.links.recognising import is_many
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.links.views import results
from lossguard.tracing.program.binding import bound, called_name
from lossguard.tracing.program.reaching import Path
from lossguard.tracing.program.sources import Source
from lossguard.tracing.symptoms import effects
from lossguard.tracing.symptoms.symptom import Answer, Judgement, Symptom, described, numbers_of, shape_of
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.walks.bounds import Bound
from lossguard.tracing.walks.steps import Chain, Step
from lossguard.tracing.walks.walk import Walk

#: How many names, calls and attributes are followed one after the other.
_DEEP: Final = 24
#: What draws numbers at random, and what gives each different thing a number, with none left out.
_DRAWS: Final = named("values", "drawn")
_DENSE: Final = named("values", "dense") | named("values", "dense", home="attribute")
_GROWING: Final = named("writes", "grows")
#: What is given sizes after the data.
_SIZING: Final = named("takes", "data-then-sizes")
#: What layers call the number of their outputs, or of their rows.
_OUTPUTS: Final = ("out_features", "out_channels")
_ROWS: Final = ("num_embeddings",)


class Sizes:
    """A walk back from what has a size to the expression that says how large it is."""

    def __init__(self, walking: Callable[[Symptom], Walk], bound: Bound, labels: Any) -> None:
        self.walking = walking
        self.size, self._table = bound.size, bound.table
        #: All labels there are, or those of the batch; and whether 0 is one of them, or kept for padding.
        self._labels = labels.detach().cpu()
        self._from_zero, self._padded = bool((self._labels == 0).any()) or bound.padded, bound.padded
        #: What is wrong with the line that was found: a `size` one too small, or a `count` of what is there.
        self.kind = "size"

    def judged(self, chain: Chain, node: ast.expr | None, at: Statement) -> Chain:
        """The line that made the size too small, or else `chain`, that of the labels; None where none is surer.

        Labels that were only numbered, drawn or read are sound if they begin at 0, and then the size is at fault.
        """
        written = self._written(node, at)
        if written is not None and self._labels.max() == self.size and self._has_more_elsewhere(*written):
            return [self._culprit(*written)]
        made = self._made(written)
        sound = not chain or self._is_sound(chain[0])
        computed = chain and isinstance(chain[0].culprit, ast.BinOp | ast.Call)
        if made and (proved := self._proved(made, sound=sound or not computed)):
            return proved
        if made and self._table is not None and _is_call(made[0].culprit, LARGEST):
            # Places that were counted, of something that is longer than the longest of those which were measured.
            return made if chain and _is_call(chain[0].culprit, RANGES) else None
        whole = made is not None and self._counts_from_one(made[0])
        counted = bool(chain and only_counts(chain[0]))
        if not whole and not (chain and (counted or self._from_zero) and sound):
            return chain
        born = chain[0] if chain and not whole else None
        if written is None or not made:
            return None if counted or _is_drawn(born) or self._is_dense else chain
        read = born is not None and _is_read(born.culprit)
        if read and not self._is_one_short():
            return chain
        self.kind = "size" if self._labels.max() == self.size else "count"
        if isinstance(made[0].culprit, ast.Constant):
            # As many of them as of others: it is no slip of a few labels that there are more classes.
            return made[:1] if read or self._are_common() else None
        counts = isinstance(made[0].culprit, ast.Call) and not _is_read(made[0].culprit)
        return None if counts and born is not None and _may_be_too_many(born) else _from_number(made)

    def constant(self, node: ast.expr | None, at: Statement) -> tuple[Source, ast.expr] | None:
        """The size where it is written out as a number, whether or not that is the fault; None if it is computed."""
        made = self._made(self._written(node, at))
        culprit, moment = (made[0].culprit, made[0].moment) if made else (None, None)
        return (moment.scope.source, culprit) if isinstance(culprit, ast.Constant) and moment is not None else None

    def _made(self, written: tuple[ast.expr, Statement] | None) -> Chain:
        """The way to the line that computed, wrote out or read the size; None if that is not known."""
        made = self._back(*written, self.size) if written is not None else None
        if not made and written is not None and isinstance(written[0], ast.BinOp):
            return [self._culprit(*written)]
        culprit, moment = (made[0].culprit, made[0].moment) if made else (None, None)
        if culprit is None or moment is None:
            return None
        unknown = moment.evaluate(culprit) is UNKNOWN
        told = effects.makes_anew(culprit, "outside", "values") or _is_read(culprit)
        return made if (told if unknown else _number(culprit, moment) == self.size) else None

    def _back(self, node: ast.expr, at: Statement, size: int) -> Chain:
        return self.walking(plain_number(size)).back(node, at)

    def _culprit(self, node: ast.expr, at: Statement, before: Any = None) -> Step:
        told = "" if before is None else described(before)
        return self.walking(plain_number(self.size)).culprit(node, at, before=told)

    def _written(self, node: ast.expr | None, at: Statement) -> tuple[ast.expr, Statement] | None:
        """The expression that a layer was given for its size; `node` itself, where that is a plain number."""
        if node is not None and self._table is None:
            return (node, at) if _number(node, at) == self.size else self._layer(node, at, (), _DEEP)
        calls = [call for call in ast.walk(at.statement) if isinstance(call, ast.Call)]
        found = [self._given(call, at) for call in calls if self._place(at.evaluate(call.func)) is not None]
        return found[0] if len(found) == 1 else None

    def _layer(self, node: ast.expr, at: Statement, path: Path, left: int) -> tuple[ast.expr, Statement] | None:
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
            case ast.Call():
                return self._called(node, at, path, left)
        return None

    def _called(self, node: ast.Call, at: Statement, path: Path, left: int) -> tuple[ast.expr, Statement] | None:
        callee = at.evaluate(node.func)
        if self._place(callee) is not None:
            return self._given(node, at)
        scene = self.walking(plain_number(self.size)).world.entered(node, callee, at)
        if scene is not None:
            inside = results(scene, each=False)
            return self._layer(*inside[0], path, left - 1) if len(inside) == 1 else None
        sized = [part for part in node.args if called_name(node) in _SIZING and _number(part, at) == self.size]
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
        return () if any(getattr(layer, name, None) == self.size for name in _OUTPUTS) else None

    def _given(self, call: ast.Call, at: Statement) -> tuple[ast.expr, Statement] | None:
        """What the class of the layer that is called was given for the size, where it was made."""
        layer = at.evaluate(call.func)
        site = self.walking(plain_number(self.size)).construction.made(call, layer, at)
        for number in self._place(layer) or ():
            inner = argument_of_many(site[0].args, number, len(layer)) if site is not None else None
            site, layer = (inner, site[1]) if site is not None and isinstance(inner, ast.Call) else None, layer[number]
        code = getattr(type(layer).__init__, "__code__", None)
        if site is None or code is None:
            return None
        words = bound(site[0], code, method=True)
        size = next((words[name] for name in (*_OUTPUTS, *_ROWS) if name in words), None)
        return (size, site[1]) if size is not None else None

    def _proved(self, made: list[Step], *, sound: bool) -> Chain:
        """The line that made the size, where it is seen to be too small by itself, or for labels that are `sound`."""
        node, at = made[0].culprit, made[0].moment
        if node is None or at is None:
            return None
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Sub) and _number(node.right, at) == 1:
                counts = isinstance(node.left, ast.Call) and called_name(node.left) in COUNTING
                whole = at.evaluate(node.left)
                return [self._culprit(node, at, whole), *made[1:]] if counts and self._from_zero else None
            if sound and any(_is_call(part, LARGEST) for part in (node.left, node.right)):
                return made  # there are larger ones than the data has of which it is the largest
            # A count of what is there may be a part of the size.
            parts = [(part, _number(part, at)) for part in (node.left, node.right)]
            behind = [self._back(part, at, many) for part, many in parts if many is not None]
            found = [chain for chain in behind if chain and self._counts_too_few(chain[0], sound=sound)]
            return found[0] if len(found) == 1 else None
        if self._counts_too_few(made[0], sound=sound):
            return made
        if isinstance(node, ast.Call) and called_name(node) in LARGEST and len(node.args) < 2:
            operand = node.args[0] if node.args else getattr(node.func, "value", None)
            numbers = numbers_of(at.evaluate(operand)) if operand is not None else None
            # Rows of a table may count from 1; classes may not.
            first = numbers.min() if numbers is not None and numbers.size else 1
            return made if first == 0 or (self._table is not None and len(made) == 1) else None
        return None

    def _counts_too_few(self, step: Step, *, sound: bool) -> bool:
        """Whether different labels are counted, and these are not all that there are, or leave numbers out.

        Where the labels are gone by now, several that are too large tell as much.
        """
        node, at = step.culprit, step.moment
        if isinstance(node, ast.Call) and called_name(node) in LENGTHS and len(node.args) == 1:
            node = node.args[0]
        if not isinstance(node, ast.Call) or at is None or called_name(node) not in DISTINCT:
            return False
        self.kind = "count"
        operand = node.args[0] if node.args else getattr(node.func, "value", None)
        value = at.evaluate(operand) if operand is not None else UNKNOWN
        if value is UNKNOWN:
            return sound and len(self._labels[self._labels >= self.size].unique()) > 1
        numbers = numbers_of(value) if is_many(value) else None
        if numbers is None or not numbers.size:
            return sound and is_many(value)  # words, of which there are more elsewhere
        # Where none is left out between the first and the last, and there is no 0, the labels are wrong.
        gaps = self._from_zero or len({*numbers.ravel().tolist()}) <= numbers.max() - numbers.min()
        return bool((sound and numbers.min() == 0) or (gaps and numbers.max() >= self.size > numbers.min()))

    def _counts_from_one(self, step: Step) -> bool:
        """Whether the size is the number of entries of a table that gives each thing a number, but not from 0 on.

        Labels from 1 on are a fault of their own, unless 0 may be kept for what is none of them.
        """
        node, at = step.culprit, step.moment
        items = node.args[0] if isinstance(node, ast.Call) and called_name(node) in LENGTHS and node.args else None
        table = at.evaluate(items) if items is not None and at is not None else UNKNOWN
        numbers = numbers_of(list(table.values())) if isinstance(table, Mapping) and table else None
        if numbers is None or (first := int(numbers.min())) < (2 if self._table is None else 1):
            return False
        return sorted(numbers.tolist()) == [*range(first, first + self.size)]

    def _is_sound(self, step: Step) -> bool:
        """Whether labels only came into being at a step: numbered one after the other, drawn, combined or read."""
        node, at = step.culprit, step.moment
        if node is None or at is None:
            return False
        if _is_drawn(step):
            # As many as there are classes, or one more: then the bound is what is wrong.
            return all(_number(part, at) != self.size for part in _parts(node))
        value = at.evaluate(node)
        if _is_read(node) or (isinstance(value, list | tuple) and any(isinstance(item, str) for item in value)):
            return True  # words are numbered one after the other
        told = effects.makes_anew(node, "outside", "values") or any(_number(p, at) == self.size for p in _parts(node))
        if not told and (self._is_dense or (self._padded and int(self._labels.max()) == self.size)):
            return True
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            # One number out of two kinds of labels: `one + many * other`.
            parts = [(part, at.evaluate(part)) for part in (node.left, node.right)]
            kinds = [(part, value) for part, value in parts if is_many(value)]
            apart = [value for part, value in kinds if not isinstance(getattr(part, "op", None), ast.Mult)]
            if len(kinds) == 2 and len(apart) == 1 and (numbers := numbers_of(apart[0])) is not None and numbers.size:
                products = [part for part, _ in kinds if isinstance(part, ast.BinOp)]
                factors = [_number(side, at) for product in products for side in (product.left, product.right)]
                return any(many is not None and many <= numbers.max() + 1 for many in factors)
        if (called_name(node) if isinstance(node, ast.Call) else getattr(node, "attr", "")) in _DENSE:
            return True
        return _is_numbered(node, at)

    @property
    def _is_dense(self) -> bool:
        """Whether there are labels of each class from 0 on, up to some that are too large."""
        found = self._labels[self._labels >= 0].unique().tolist()
        return bool(found) and self._from_zero and found == [*range(int(found[0]), int(found[0]) + len(found))]

    def _is_one_short(self) -> bool:
        """Whether there is one class more, of which there are as many labels as of others, or half as many."""
        many = 2 * (self.size + 1) * int((self._labels == self.size).sum())
        return int(self._labels.max()) == self.size and many >= int(self._labels.numel())

    def _are_common(self) -> bool:
        """Whether there are labels of each class, and of those beyond the size half as many as of the others."""
        beyond = self._labels[self._labels >= self.size]
        others = self._labels.numel() - beyond.numel()
        return self._is_dense and 2 * beyond.numel() * self.size >= others * len(beyond.unique())

    def _has_more_elsewhere(self, node: ast.expr, at: Statement) -> bool:
        """Whether the same number is given elsewhere in a function with one more, as a layer beside this one is."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return False
        text = ast.unparse(node)
        calls = [call for call in ast.walk(at.scope.node) if isinstance(call, ast.Call)]
        given = [part for call in calls for part in (*call.args, *(word.value for word in call.keywords))]
        added = [part for part in given if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add)]
        return any(ast.unparse(part.left) == text and _number(part.right, at) == 1 for part in added)


def plain_number(size: int) -> Symptom:
    """A plain number of this size; what has many numbers is no size."""

    def test(value: Any) -> Answer:
        return Judgement.NEITHER if is_many(value) or isinstance(value, list | tuple) else bool(value == size)

    return Symptom("outside", "values", test, (size,), whole=True)


def _is_measured(node: ast.expr) -> bool:
    """Whether a number is the size of something that is there: `x.size(-1)`, `x.shape[-1]`."""
    by_shape = isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") == "shape"
    return by_shape or _is_call(node, MEASURING)


def _is_drawn(step: Step | None) -> bool:
    return step is not None and _is_call(step.culprit, _DRAWS)


def _may_be_too_many(step: Step) -> bool:
    """Whether there are as many labels as the data happens to have, or one was added: they may be what is wrong."""
    calls = {called_name(part) for part in ast.walk(step.culprit or ast.Pass()) if isinstance(part, ast.Call)}
    target = step.moment.statement.targets[0] if step.moment and isinstance(step.moment.statement, ast.Assign) else None
    added = isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant)
    return added or not calls.isdisjoint(DISTINCT | _DRAWS | _DENSE - NUMBERING)


def _is_call(node: ast.expr | None, names: frozenset[str]) -> bool:
    return isinstance(node, ast.Call) and called_name(node) in names


def _is_read(node: ast.expr | None) -> bool:
    return node is not None and effects.effect_of(node, "class numbers") is effects.CREATES


def _from_number(made: list[Step]) -> list[Step]:
    """The way of a size; of one that was read, from where it was taken as a number out of what was read.

    A method that tells how many there are is right by itself, and the line counts that asks it.
    """
    if not _is_read(made[0].culprit):
        inside = [getattr(step.moment.scope.node, "name", "") == "__len__" for step in made if step.moment]
        place = inside.index(False) if False in inside else 0
        return [replace(made[place], culprit=made[place].culprit or made[place].taken), *made[place + 1 :]]
    place = next((number for number, step in enumerate(made) if step.taken is not None), len(made) - 1)
    return [replace(made[place], culprit=made[place].taken), *made[place + 1 :]]


def only_counts(step: Step) -> bool:
    """Whether a step counts things or places from 0: that there are too many of them is no fault of its own."""
    node = step.culprit
    settings = {word.arg for word in node.keywords} - OPTIONS if isinstance(node, ast.Call) else set()
    return (
        isinstance(node, ast.Call) and called_name(node) in NUMBERING | RANGES and len(node.args) + len(settings) == 1
    )


def _parts(node: ast.expr) -> list[ast.expr]:
    return [part for part in ast.walk(node) if isinstance(part, ast.expr)]


def _number(node: ast.expr, at: Statement) -> int | None:
    """The whole number that an expression gives; None if it gives something else."""
    value = at.evaluate(node)
    plain = hasattr(value, "__index__") and not isinstance(value, type) and not shape_of(value)
    return int(value) if plain else None


def _is_numbered(node: ast.expr, at: Statement) -> bool:
    """Whether each new thing gets a number: `{word: i + 1 for i, word in enumerate(words)}`, `ids[word] = len(ids)`."""
    parts = [*ast.walk(at.statement)]
    loops = [part for part in parts if isinstance(part, ast.comprehension) and _is_enumerate(part.iter)]
    numbers = {
        part.target.elts[0].id
        for part in loops
        if isinstance(part.target, ast.Tuple) and isinstance(part.target.elts[0], ast.Name)
    }
    inside = {id(inner) for part in parts if _is_enumerate(part) for inner in ast.walk(part)}
    if id(node) in inside or any(isinstance(inner, ast.Name) and inner.id in numbers for inner in ast.walk(node)):
        return True
    block = at.scope.source.parents.get(at.statement)
    parts = parts if block is None or isinstance(block, ast.Module) else [*ast.walk(block)]
    stores = [part.value for part in parts if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store)]
    calls = [part for part in parts if isinstance(part, ast.Call)]
    stores += [call.func.value for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in _GROWING]
    lengths = [part for part in ast.walk(node) if isinstance(part, ast.Call) and called_name(part) in LENGTHS]
    counted = {ast.unparse(items) for call in lengths for items in call.args}
    return bool(counted) and counted <= {*map(ast.unparse, stores)}


def _is_enumerate(node: ast.AST) -> bool:
    return isinstance(node, ast.expr) and _is_call(node, NUMBERING)
