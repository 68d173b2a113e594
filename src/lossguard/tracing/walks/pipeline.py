"""Back through a loader: the collate function, the dataset's own code, and where its data was made."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import math
from collections.abc import Iterator
from typing import Any, Final

from lossguard.tracing.batches.caches import set_aside
from lossguard.tracing.batches.loaders import Delivery, Stream, streams
from lossguard.tracing.batches.samples import base_dataset, is_torchs
from lossguard.tracing.evidence.replay import Activation, Replay, replay, run_plainly
from lossguard.tracing.links.construction import Construction
from lossguard.tracing.links.datasets import argument_at
from lossguard.tracing.links.recognising import is_choice, is_users_object
from lossguard.tracing.links.recorded import recorded
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.links.views import ProgramView, results
from lossguard.tracing.program.binding import bound
from lossguard.tracing.program.reaching import EACH, Definition, Path, bindings
from lossguard.tracing.symptoms import effects
from lossguard.tracing.symptoms.symptom import Judgement, Symptom, described, shape_of
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.layers import is_pure_layer, run_layer
from lossguard.tracing.values.projecting import is_stream_of, project
from lossguard.tracing.walks.finiteness import Finiteness
from lossguard.tracing.walks.proving import Proving
from lossguard.tracing.walks.steps import Chain, handed_on

#: How often a sample is asked for again while it comes out well, and how many of its neighbours are.
_ATTEMPTS: Final = 12
_NEIGHBOURS: Final = 63
#: How many samples of a stream are collated again.
_FIRST: Final = 4


class Pipeline(Proving):
    """A walk back that may go through loaders, by replaying what they did."""

    def __init__(self, symptom: Symptom, world: ProgramView, deadline: float, *, may_replay: bool = True) -> None:
        super().__init__(symptom, world, deadline)
        self.construction = Construction(world)
        self.may_replay = may_replay
        #: What went other than expected, for the report.
        self.remark = ""
        #: Which row of the batch is looked at, and whether one is known.
        self.row: int | None = None
        #: Whether not all numbers of the argument are bad.
        self.partly = False
        self._sample: tuple[Stream, Any, Replay] | None = None
        self._batch_roots: set[int] = set()
        #: A stream whose collate function was replayed, and the first of its samples.
        self._streamed: tuple[Stream, Any] | None = None
        self._told: dict[tuple[int, str], Chain] = {}

    def finiteness(self) -> Finiteness:
        """A proof with what is known here of the objects of the program."""
        return Finiteness(self.symptom, self.world, self.construction, self.deadline, partly=self.partly)

    def loaded(self, loader: Any, path: Path) -> Chain:
        """A batch that came out of `loader`: replay how it was made."""
        for stream in streams():
            if is_stream_of(stream.iterator, loader) and stream.deliveries:
                return self.delivered(stream, stream.deliveries[0], path)
        return None

    def delivered(self, stream: Stream, delivery: Delivery, path: Path) -> Chain:
        """The chain behind the part at `path` of a batch."""
        key = (id(stream.iterator), repr(path))  # a path may hold slices and lists, which have no hash
        if key not in self._told:
            self._told[key] = self._told_of(stream, delivery, path)
        return self._told[key]

    def _told_of(self, stream: Stream, delivery: Delivery, path: Path) -> Chain:
        if stream.is_iterable:
            self.remark = "an iterable dataset cannot be asked for a sample again"
            if stream.batches and not is_torchs(stream.collate):
                return self._collated_stream(stream, path)
            return self._iterated(stream.dataset, path) or self._held_by_name(stream.dataset, (EACH, *path))
        if not self.may_replay or delivery.indices is None:
            return None
        together = self._replayed(stream, delivery, path)
        if together is None:
            return None
        if not together.roots:
            return self._sampled(path)
        self._batch_roots = {id(root) for root in together.roots}
        root = self._root(together, together.result)
        return self._into(root, path if root is together.roots[0] else ()) if root else None

    def _collated_stream(self, stream: Stream, path: Path) -> Chain:
        """Behind a collate function of the user's: replayed with the first samples of the dataset, asked for anew."""
        if not self.may_replay:
            return None
        samples = run_plainly(lambda: list(itertools.islice(stream.dataset, _FIRST)), self.deadline)
        if samples.failure or not samples.result:
            return None
        together = replay(lambda: stream.collate(samples.result), self.deadline)
        root = self._root(together, together.result) if not together.failure else None
        if root is None or not self._may_be_bad(project(together.result, path)):
            return None
        self._batch_roots, self._streamed = {id(each) for each in together.roots}, (stream, samples.result[0])
        return self._into(root, path if root is together.roots[0] else ())

    def _replayed(self, stream: Stream, delivery: Delivery, path: Path) -> Replay | None:
        """Ask for the sample until it is bad again: for what is random more than once, then for its neighbours."""
        for index in self._indices(stream, delivery, path):
            for one in self._fetched(stream, index):
                if one.failure:
                    self.remark = f"replaying the sample failed: {one.failure}"
                    return None
                self._sample = (stream, index, one)
                together = self._collated(stream, delivery, one) if stream.batches else Replay()
                part = project(together.result if together.roots else one.result, path)
                self._look_behind(part)
                if self._may_be_bad(part):
                    return together
        whole = self._collated_whole(stream, delivery) if stream.batches else Replay()
        if whole.roots and self._may_be_bad(project(whole.result, path)):
            return whole
        self.remark = "asked again, the sample is not the same: it is random, or the whole batch made it bad"
        return None

    def _fetched(self, stream: Stream, index: Any) -> Iterator[Replay]:
        """A sample asked for again: without what caches remember, if there are any, and then as it was."""
        with set_aside(stream.dataset, base_dataset_or_none(stream.dataset, index)) as remembered:
            anew = replay(lambda: stream.fetch(index), self.deadline) if remembered else None
        if anew is not None and not anew.failure:
            yield anew
        yield replay(lambda: stream.fetch(index), self.deadline)

    def _look_behind(self, part: Any) -> None:
        """Of a part of a sample that is no tensor yet: on with what makes a bad tensor of it."""
        if self.symptom.behind is not None and part is not UNKNOWN and not hasattr(part, "detach"):
            self.symptom = self.symptom.behind

    def _may_be_bad(self, part: Any) -> bool:
        return part is UNKNOWN or self.symptom.judge(part) in {Judgement.BAD, Judgement.UNKNOWN}

    def _collated_whole(self, stream: Stream, delivery: Delivery) -> Replay:
        """The collate function over all samples of the batch."""
        samples = run_plainly(lambda: [stream.fetch(index) for index in delivery.indices], self.deadline)
        return Replay() if samples.failure else replay(lambda: stream.collate(samples.result), self.deadline)

    def _indices(self, stream: Stream, delivery: Delivery, path: Path) -> list[Any]:
        """The offender's index first and a few times; then, as one float makes a batch float, those of the others."""
        if not stream.batches:
            return [delivery.indices] * _ATTEMPTS
        rows = list(delivery.indices)
        row = self._bad_row(stream, path, len(rows)) if self.row is None else self.row
        first = rows[row if row < len(rows) else 0]
        others = [row for row in rows if row is not first][:_NEIGHBOURS] if self.symptom.about == "dtype" else []
        return [first, *others] if others else [first] * _ATTEMPTS

    def _bad_row(self, stream: Stream, path: Path, many: int) -> int:
        """The first row of the batch that is bad, 0 if none is by itself."""
        part = project(stream.batch, path) if stream.has_batch else UNKNOWN
        if part is UNKNOWN or shape_of(part)[:1] != (many,):
            return 0
        return next((row for row in range(many) if self.is_bad(project(part, (row,)))), 0)

    def _collated(self, stream: Stream, delivery: Delivery, one: Replay) -> Replay:
        """The collate function over this one sample, or over all of the batch if one alone will not do."""
        if self.symptom.about == "shape" and len(delivery.indices) > 1:
            # A batch of one has an axis of size 1 that the real one had not.
            return self._collated_whole(stream, delivery)
        together = replay(lambda: stream.collate([one.result]), self.deadline)
        return self._collated_whole(stream, delivery) if together.failure else together

    def _sampled(self, path: Path) -> Chain:
        """Behind the sample: the dataset's own code, or the data that it holds."""
        if self._streamed is not None:
            stream, first = self._streamed
            good = self.symptom.judge(project(first, path)) is Judgement.GOOD
            return None if good else self._iterated(stream.dataset, path)
        if self._sample is None:
            return None
        stream, index, one = self._sample
        part = project(one.result, path)
        self._look_behind(part)
        if part is not UNKNOWN and self.symptom.judge(part) is Judgement.GOOD:
            return None
        root = self._root(one, part)
        if root is None and (transform := self._transform(one, path)) is not None:
            return self._into(transform, path)
        if root is None:
            return self._held(stream, index, path) if not one.roots else None
        if root.code.co_name == "__getitems__":
            return self._into(root, (0, *path))
        whole = root.code.co_name == "__getitem__" or root.returned is one.result
        return self._into(root, path if whole else ())

    def _root(self, found: Replay, part: Any) -> Activation | None:
        """The call that gave the whole result, or the one transform that gave this part of it."""
        for root in found.roots:
            if root.code.co_name in {"__getitem__", "__getitems__"} or root.returned is found.result:
                return root
        giving = [root for root in found.roots if root.ended and (root.returned is part or _equal(root.returned, part))]
        return giving[0] if len(giving) == 1 else None

    def _transform(self, found: Replay, path: Path) -> Activation | None:
        """The one function that the dataset calls on its rows, if what it gave is bad at the same path."""
        root = found.roots[0] if len(found.roots) == 1 else None
        return root if root is not None and root.ended and self.is_bad(project(root.returned, path)) else None

    def entered(self, moment: Statement, path: Path) -> Chain:
        """The parameter of a replayed collate function: a list of samples."""
        activation = getattr(moment, "activation", None)
        if activation is not None and id(activation) in self._batch_roots:
            if path and (path[0] is EACH or isinstance(path[0], int | slice)):
                return self._sampled(path[1:])
            return None
        return None

    def _held(self, stream: Stream, index: Any, path: Path) -> Chain:
        """No line of the user's ran: the sample was bad in the data that the dataset holds."""
        dataset, inner = base_dataset(stream.dataset, index)
        tensors = getattr(dataset, "tensors", None)
        if isinstance(tensors, tuple) and path and isinstance(path[0], int):
            site = self.construction.site(dataset)
            given = argument_at(site[0].args, path[0]) if site is not None else None
            if site is not None and given is not None:
                return handed_on("", self.back(given[0], site[1], (*given[1], inner, *path[1:])), site[1])
            return self._held_by_name(tensors[path[0]], (inner, *path[1:]))
        return self._held_by_name(dataset, (inner, *path))

    def _held_by_name(self, thing: Any, path: Path) -> Chain:
        for name, moment in self.construction.holders(thing):
            chain = self.back(ast.Name(id=name, ctx=ast.Load()), moment, path)
            if chain is not None:
                return chain
        return None

    def stored(self, owner: Any, name: str, path: Path, at: Statement) -> Chain:
        """An attribute: back from the line of its class that set it, or from what the class was given."""
        key = (id(owner), 0, name)
        if key in self._seen:
            return []
        self._seen.add(key)
        found = self._set(owner, name, at) or self.construction.assignments(owner, name)
        if found:
            return handed_on("", self._defined(f"self.{name}", found, path), at)
        if (computed := self._computed(owner, name, path)) is not None:
            return handed_on("", computed, at)
        given = self.construction.field_given(owner, name)
        return handed_on("", self.back(given[0], given[1], path), at) if given is not None else None

    def _set(self, owner: Any, name: str, at: Statement) -> list[tuple[Definition, Statement]]:
        """The recorded lines that gave an attribute the value that it had at a moment."""
        recorder, clock = self.world.recorder, getattr(at, "clock", math.inf)
        found: list[tuple[Definition, Statement]] = []
        for recording, number in recorder.setters(owner, name, clock) if recorder is not None else ():
            moment = recorded(recording, number)
            roots = [root for root, word in recording.lines[recording.visits[number].line].attributes if word == name]
            own = [d for root in roots for d in bindings(moment.statement, f"{root}.{name}")] if moment else []
            found.extend((definition, moment) for definition in own if moment is not None)
            if any(not definition.partial for definition in own):
                return found
        return []

    def _computed(self, owner: Any, name: str, path: Path) -> Chain:
        """A property, cached or not: back from what it returns."""
        found = inspect.getattr_static(type(owner), name, None)
        function = getattr(found, "func", getattr(found, "fget", None))
        scene = self.world.function(function, {}, {"self": owner}) if function is not None else None
        return self._one_of(results(scene, each=False), path) if scene is not None else None

    def kept_by_loss(self, at: Statement, name: str, value: Any) -> tuple[ast.expr, Statement] | None:
        """What a loss that is an object was given for an argument that it keeps, as its weights are."""
        for node in ast.walk(at.statement):
            loss = at.evaluate(node.func) if isinstance(node, ast.Call) else UNKNOWN
            if loss is UNKNOWN or value is None:
                continue
            if isinstance(loss, functools.partial) and loss.keywords.get(name) is value:
                site = self._made(node, loss, at)
                words = {word.arg: word.value for word in site[0].keywords if word.arg} if site is not None else {}
            elif getattr(loss, name, None) is value:
                site = self._made(node, loss, at)
                words = bound(site[0], type(loss).__init__.__code__, method=True) if site is not None else {}
            else:
                continue
            return (words[name], site[1]) if site is not None and name in words else None
        return None

    def _made(self, node: ast.AST, loss: Any, at: Statement) -> tuple[ast.Call, Statement] | None:
        """The call that made a loss: by the attribute that holds it, or by the variables."""
        func = node.func if isinstance(node, ast.Call) else None
        owner = at.evaluate(func.value) if isinstance(func, ast.Attribute) else UNKNOWN
        if isinstance(func, ast.Attribute) and is_users_object(owner):
            found = self.construction.site_of_attribute(owner, func.attr)
            if found is not None:
                return found
        return self.construction.site(loss)

    def sequence(self, node: ast.expr, layers: Any, given: Any, at: Statement) -> Chain:
        """The layer of a sequence that made it so, named where it is constructed."""
        making = self._last_making(node, layers)
        layer, before = (making, "") if making is not None else self._first_bad(layers, given)
        if layer is None:
            return None
        site = self._written(layers, layer) or self.construction.site(layer)
        if (site is not None and is_choice(*site)) or (site is None and self.symptom.name in effects.OF_OUTPUTS):
            return None
        return [self.culprit(*(site or (node, at)), before=before)]

    def _first_bad(self, layers: Any, given: Any) -> tuple[Any, str]:
        """Layer by layer, where that has no side effects: the last that turned good into bad, and what it was given."""
        if given is UNKNOWN or not is_pure_layer(layers) or self.symptom.name in effects.OF_OUTPUTS:
            return None, ""
        found, before, was = None, "", self.symptom.judge(given)
        for layer in layers:
            shown = described(given) if was is Judgement.GOOD else ""
            given = run_layer(layer, given)
            now = self.symptom.judge(given)
            if now is Judgement.BAD and was is not Judgement.BAD:
                found, before = layer, shown
            was = now
        return (found, before) if was is Judgement.BAD else (None, "")

    def _last_making(self, node: ast.expr, layers: Any) -> Any:
        """By the names of the layers alone."""
        for layer in reversed(list(layers)):
            effect = effects.effect_of(node, self.symptom.name, type(layer).__name__)
            if effect is effects.MAKES:
                return layer
            if effect is None:
                return None
        return None

    def _written(self, layers: Any, layer: Any) -> tuple[ast.Call, Statement] | None:
        """The call of a layer's class among the arguments of the sequence's own call."""
        site = self.construction.site(layers)
        if site is None:
            return None
        place = list(layers).index(layer)
        written = site[0].args
        if len(written) != len(layers) or not isinstance(call := written[place], ast.Call):
            return None
        return call, site[1]


def base_dataset_or_none(dataset: Any, index: Any) -> Any:
    """The dataset below all wrappers, if it can be told."""
    try:
        return base_dataset(dataset, index)[0]
    except Exception:  # noqa: BLE001 - a dataset of the user's making may do anything
        return None


def _equal(ours: Any, theirs: Any) -> bool:
    try:
        return type(ours) is type(theirs) and bool(ours == theirs)
    except (TypeError, ValueError, RuntimeError):
        return False
