"""Labels beyond a size: they may be sound, and the layer, the table or the number of classes too small for them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from lossguard.operations.roles import BINNING, COUNTING, DISTINCT, LARGEST, LENGTHS, NUMBERING, OPTIONS, RANGES
from lossguard.operations.table import named
from lossguard.tracing.links.recognising import is_many
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.binding import called_name
from lossguard.tracing.program.sources import Source
from lossguard.tracing.symptoms import effects
from lossguard.tracing.symptoms.symptom import Answer, Judgement, Symptom, described, numbers_of
from lossguard.tracing.values.evaluating import ABSENT, UNKNOWN, evaluate
from lossguard.tracing.walks.bounds import Bound
from lossguard.tracing.walks.heads import Head
from lossguard.tracing.walks.steps import Chain, Step, written_out
from lossguard.tracing.walks.walk import Walk

#: What draws numbers at random, and what gives each different thing a number, with none left out.
_DRAWS: Final = named("values", "drawn")
_DENSE: Final = named("values", "dense") | named("values", "dense", home="attribute")
_GROWING: Final = named("writes", "grows")


class Sizes:
    """A walk back from what has a size to the expression that says how large it is."""

    def __init__(self, walking: Callable[[Symptom], Walk], bound: Bound, labels: Any) -> None:
        self.walking = walking
        self.size, self._table, self._of_samples = bound.size, bound.table, bound.of_samples
        self._head = Head(walking(plain_number(bound.size)), bound)
        #: All labels there are, or those of the batch; and whether 0 is one of them, or kept for padding.
        self._labels = labels.detach().cpu()
        self._from_zero, self._padded = bool((self._labels == 0).any()) or bound.padded, bound.padded
        #: What is wrong with the line that was found: a `size` one too small, or a `count` of what is there.
        self.kind = "size"
        #: Whether the line is known that made the size, so that no other evidence need be asked.
        self.is_decided = False

    def judged(self, chain: Chain, node: ast.expr | None, at: Statement) -> Chain:
        """The line that made the size too small, or else `chain`, that of the labels; None where none is surer.

        Labels that were only numbered, drawn or read are sound if they begin at 0, and then the size is at fault.
        """
        written = self._head.written(node, at)
        if written is not None and self._labels.max() == self.size and self._has_more_elsewhere(*written):
            return [self._culprit(*written)]
        made = self._made(written)
        self.is_decided = made is not None
        if chain and (self._is_beyond_edge(chain[0]) or (made and self._is_of_labels(chain, made))):
            return chain
        if made and self._of_samples:
            self.kind = "count"
            return _asked(made)
        sound = not chain or self._is_sound(chain[0])
        computed = chain and isinstance(chain[0].culprit, ast.BinOp | ast.Call)
        if made and (proved := self._proved(made, sound=sound or not computed)):
            return proved
        if made and self._table is not None and _is_call(made[0].culprit, LARGEST):
            # Places that were counted, of something that is longer than the longest of those which were measured.
            return made if chain and _is_call(chain[0].culprit, RANGES) else None
        whole = made is not None and self._counts_from_one(made[0], chain)
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
            # As many labels of them as of others: it is no slip of a few labels that there are more classes.
            alone = made[:1] if read or self._are_common() else None
            return self._put_in(made, *written) if whole else alone
        counts = isinstance(made[0].culprit, ast.Call) and not _is_read(made[0].culprit)
        return (
            None
            if counts and born is not None and _may_be_too_many(born)
            else _from_number(_asked(made) if _same_count(born, made[0]) else made)
        )

    def _put_in(self, made: list[Step], node: ast.expr, at: Statement) -> list[Step]:
        """For a number that is right as that of the things: where it is put in as a size."""
        return _asked(made[1:]) if made[1:] else [self._culprit(node, at)]

    def _is_beyond_edge(self, label: Step) -> bool:
        """Whether a value at the edge of the last interval was counted beyond it: far too few for a class of theirs."""
        few = 8 * self.size * int((self._labels >= self.size).sum()) <= self._labels.numel()
        return few and label.culprit is not None and any(_is_call(part, BINNING) for part in _parts(label.culprit))

    def constant(self, node: ast.expr | None, at: Statement) -> tuple[Source, ast.expr] | None:
        """The size where it is written out as a number, whether or not that is the fault; None if it is computed."""
        made = self._made(self._head.written(node, at))
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
        return made if (told if unknown else moment.integer(culprit) == self.size) else None

    def _back(self, node: ast.expr, at: Statement, size: int) -> Chain:
        return self.walking(plain_number(size)).back(node, at)

    def _culprit(self, node: ast.expr, at: Statement, before: Any = None) -> Step:
        told = "" if before is None else described(before)
        return self.walking(plain_number(self.size)).culprit(node, at, before=told)

    def _proved(self, made: list[Step], *, sound: bool) -> Chain:
        """The line that made the size, where it is seen to be too small by itself, or for labels that are `sound`."""
        node, at = made[0].culprit, made[0].moment
        if node is None or at is None:
            return None
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Sub) and at.integer(node.right) == 1:
                counts = _is_call(written_out(node.left, at)[0], COUNTING)
                whole = at.evaluate(node.left)
                return [self._culprit(node, at, whole), *made[1:]] if counts and self._from_zero else None
            if sound and any(_is_call(part, LARGEST) for part in _parts(node)):
                return made  # there are larger ones than the data has of which it is the largest
            # A count of what is there may be a part of the size.
            parts = [(part, at.integer(part)) for part in (node.left, node.right)]
            behind = [self._back(part, at, many) for part, many in parts if many is not None]
            found = [chain for chain in behind if chain and self._counts_too_few(chain[0], sound=sound)]
            return found[0] if len(found) == 1 else None
        if self._counts_too_few(made[0], sound=sound):
            return made
        if self._has_grown(node, at):
            self.kind = "count"
            return _asked(made)
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
        if isinstance(node, ast.Call) and called_name(node) in LENGTHS and len(node.args) == 1 and at is not None:
            node, at = written_out(node.args[0], at)
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

    def _has_grown(self, node: ast.expr | None, at: Statement | None) -> bool:
        """Whether the entries of an object were counted when it had fewer of them than now, and now enough for all."""
        if node is None or at is None or not _is_call(node, LENGTHS):
            return False
        many = evaluate(node, _Now(at))
        return isinstance(many, int) and many > max(self.size, int(self._labels.max()))

    def _is_numbered_later(self, labels: list[Step], made: list[Step]) -> bool:
        """Whether a label got its number, one more than there were, after these had been counted for the size.

        While the program was set up, the size was counted too early; after that, there should be no new numbers.
        """
        label = labels[0]
        if any(getattr(step.moment, "clock", math.inf) < math.inf for step in labels):
            return False
        numbered = label.culprit is not None and label.moment is not None and _is_numbered(label.culprit, label.moment)
        return numbered and self._has_grown(made[0].culprit, made[0].moment)

    def _is_of_labels(self, labels: list[Step], made: list[Step]) -> bool:
        """Whether the size is right, and a label got its number later, or was taken from another column."""
        return self._is_numbered_later(labels, made) or self._is_of_another_column(labels, made[0])

    def _is_of_another_column(self, labels: list[Step], size: Step) -> bool:
        """Whether the labels were taken from another column than the one that was counted, which has none too large."""
        taken = {word for step in labels for word in _columns(step.taken or step.culprit)}
        counted = _columns(size.culprit)
        owner = getattr(getattr(size.culprit, "func", None), "value", None)
        if not taken or not counted or not taken.isdisjoint(counted) or owner is None or size.moment is None:
            return False
        numbers = numbers_of(size.moment.evaluate(owner))
        return numbers is not None and bool(numbers.size) and (numbers.min(), numbers.max()) == (0, self.size - 1)

    def _counts_from_one(self, step: Step, labels: Chain) -> bool:
        """Whether the size is how many things get a number each, as in a table or by `labels`, but not from 0 on.

        Labels from 1 on are a fault of their own, unless 0 may be kept for what is none of them.
        """
        least = 2 if self._table is None else 1
        numbered, at = (labels[0].culprit, labels[0].moment) if labels else (None, None)
        if isinstance(numbered, ast.Call) and called_name(numbered) in NUMBERING and at is not None:
            start = [at.integer(part) for part in (*numbered.args[1:], *(word.value for word in numbered.keywords))]
            if start and start[0] is not None and int(self._labels.max()) == start[0] + self.size - 1:
                return start[0] >= least
        node, at = step.culprit, step.moment
        items = node.args[0] if isinstance(node, ast.Call) and called_name(node) in LENGTHS and node.args else None
        table = at.evaluate(items) if items is not None and at is not None else UNKNOWN
        numbers = numbers_of(list(table.values())) if isinstance(table, Mapping) and table else None
        if numbers is None or (first := int(numbers.min())) < least:
            return False
        return sorted(numbers.tolist()) == [*range(first, first + self.size)]

    def _is_sound(self, step: Step) -> bool:
        """Whether labels only came into being at a step: numbered one after the other, drawn, combined or read."""
        node, at = step.culprit, step.moment
        if node is None or at is None:
            return False
        if _is_drawn(step):
            # As many as there are classes, or one more: then the bound is what is wrong.
            return all(at.integer(part) != self.size for part in _parts(node) if part is not node)
        value = at.evaluate(node)
        if _is_read(node) or (isinstance(value, list | tuple) and any(isinstance(item, str) for item in value)):
            return True  # words are numbered one after the other
        told = effects.makes_anew(node, "outside", "values") or any(at.integer(p) == self.size for p in _parts(node))
        several = len(self._labels[self._labels >= self.size].unique()) > 1 and self._are_common()
        if (not told or several) and (self._is_dense or (self._padded and int(self._labels.max()) == self.size)):
            return True
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            # One number out of two kinds of labels: `one + many * other`.
            parts = [(part, at.evaluate(part)) for part in (node.left, node.right)]
            kinds = [(part, value) for part, value in parts if is_many(value)]
            apart = [value for part, value in kinds if not isinstance(getattr(part, "op", None), ast.Mult)]
            if len(kinds) == 2 and len(apart) == 1 and (numbers := numbers_of(apart[0])) is not None and numbers.size:
                products = [part for part, _ in kinds if isinstance(part, ast.BinOp)]
                factors = [at.integer(side) for product in products for side in (product.left, product.right)]
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
        given = [written_out(part, at)[0] for part in given]
        added = [part for part in given if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add)]
        return any(ast.unparse(part.left) == text and at.integer(part.right) == 1 for part in added)


@dataclass(frozen=True, slots=True)
class _Now:
    """The names of a statement, with the attributes of their objects as they are by now."""

    at: Statement

    def value(self, name: str) -> Any:
        return ABSENT if "." in name or "[" in name else self.at.value(name)

    def called(self, _node: ast.Call, _function: Any) -> Any:
        return UNKNOWN


def plain_number(size: int) -> Symptom:
    """A plain number of this size; what has many numbers is no size."""

    def test(value: Any) -> Answer:
        return Judgement.NEITHER if is_many(value) or isinstance(value, list | tuple) else bool(value == size)

    return Symptom("outside", "values", test, (size,), whole=True)


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


def _columns(node: ast.expr | None) -> set[str]:
    """The names of columns that are written out in an expression."""
    keys = [part.slice for part in ast.walk(node or ast.Pass()) if isinstance(part, ast.Subscript)]
    return {key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}


def _is_read(node: ast.expr | None) -> bool:
    return node is not None and effects.effect_of(node, "class numbers") is effects.CREATES


def _asked(made: list[Step]) -> list[Step]:
    """The way of a size from where it was counted; of a method that counts, which is right, from where it was asked."""
    inside = [getattr(step.moment.scope.node, "name", "") == "__len__" for step in made if step.moment]
    place = inside.index(False) if False in inside else 0
    return [replace(made[place], culprit=made[place].culprit or made[place].taken), *made[place + 1 :]]


def _same_count(label: Step | None, size: Step) -> bool:
    """Whether a label is the number of things there were, counted by the very call that gave the size before."""
    counts = [step.culprit for step in (label, size) if step is not None and _is_call(step.culprit, LENGTHS)]
    return len(counts) == 2 and len({ast.unparse(count) for count in counts if count is not None}) == 1


def _from_number(made: list[Step]) -> list[Step]:
    """The way of a size; of one that was read, from where it was taken as a number out of what was read.

    A count that goes up by each thing is right; where it was asked, there were not all of them yet.
    """
    first = made[0].moment.statement if made[0].moment is not None else None
    if isinstance(first, ast.AugAssign) and len(made) > 1:
        return [replace(made[1], culprit=made[1].culprit or made[1].taken), *made[2:]]
    if not _is_read(made[0].culprit):
        return made
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
