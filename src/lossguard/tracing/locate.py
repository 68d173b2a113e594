"""`locate`: a report of what is wrong in, the same report with where it came from out."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import os
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Protocol, TypeVar

from lossguard.facts.observation import is_tensor
from lossguard.findings import Finding
from lossguard.rules.values.non_finite_input import WEIGHTS_LOST
from lossguard.tracing.batches.current_batches import in_use, looped_over, the_one_in_use
from lossguard.tracing.batches.following import Following
from lossguard.tracing.batches.loaders import streams_and_ended
from lossguard.tracing.batches.samples import Provenance, find_source, placed_samples
from lossguard.tracing.evidence.readonly import Refused
from lossguard.tracing.evidence.recorders import current, paused
from lossguard.tracing.evidence.twin import ask_twin, host_copies
from lossguard.tracing.links.arguments import argument_in
from lossguard.tracing.links.running import Allowance, running
from lossguard.tracing.links.statements import Statement, entering
from lossguard.tracing.links.views import ProgramView
from lossguard.tracing.program.sources import expression_at
from lossguard.tracing.remedies.call_lines import widening, with_line
from lossguard.tracing.remedies.whole_labels import all_labels
from lossguard.tracing.rendering import remarked, told, with_error, with_fix, without_example
from lossguard.tracing.symptoms.effects import makes_whole
from lossguard.tracing.symptoms.mismatches import BY_ONE_AXIS
from lossguard.tracing.symptoms.seeking import NOT_A_NUMBER, sought
from lossguard.tracing.symptoms.symptom import Judgement, Symptom
from lossguard.tracing.values.evaluating import until
from lossguard.tracing.values.layers import Workshop, working
from lossguard.tracing.values.projecting import at_hand
from lossguard.tracing.walks.bounds import Bound
from lossguard.tracing.walks.lengths import kept_too_long
from lossguard.tracing.walks.loading import delivered
from lossguard.tracing.walks.order import Candidate, after_layer, by_sample, by_use, chosen, loss_chosen, where_masked
from lossguard.tracing.walks.positions import of_lengths, too_long
from lossguard.tracing.walks.sizes import Sizes, only_counts
from lossguard.tracing.walks.steps import Chain, is_birth, is_wilful, taken_over
from lossguard.tracing.walks.walk import Walk
from lossguard.tracing.walks.ways import walk_for

#: Seconds for all findings of one call, after which a twin is ended; more of them help on a busy machine.
TIME_LIMIT: Final = int(seconds) if (seconds := os.environ.get("LOSSGUARD_LOOK_SECONDS", "")).isdecimal() else 8
#: The part of that time after which a look ends by itself, with what it has.
_IN_TIME: Final = 0.875


class Findings(Protocol):
    """A record of findings: `lossguard.Report` is one."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings."""


R = TypeVar("R", bound=Findings)


def locate(
    report: R,
    arguments: Mapping[str, Any],
    frame: types.FrameType | None = None,
    *,
    replay: bool | None = None,
    nodes: Mapping[str, ast.expr] | None = None,
) -> R:
    """`report`, its findings with the samples, the lines and the lasting fixes that could be made out.

    `arguments` are the call's own, by name and in its order; `frame` is the user's, at the line of the call. Nothing
    is raised, and the program is not changed: all work is done in a twin of this process, and where there can be none,
    the findings say so. Where no line is certain, none is named. `replay=False`, or the environment's
    `LOSSGUARD_REPLAY=0`, keeps from asking a dataset for a sample again. `nodes` are the expressions of the arguments
    in the source, where they are known.
    """
    if not report.findings:
        return report
    if replay is None:
        replay = os.environ.get("LOSSGUARD_REPLAY", "1").lower() not in {"0", "off", "no", "false"}
    copies = host_copies(arguments.values())

    def work() -> Iterator[tuple[Finding, ...]]:
        for tensor, copy in copies:
            tensor.data = copy  # in the twin, where no device can be used
        look = _Look(arguments, frame, _line(report.findings[0], frame), may_replay=replay, nodes=nodes or {})
        with look.hand():
            yield from look.located(report.findings)

    with paused():
        answer = ask_twin(work, TIME_LIMIT)
    findings = report.findings if answer.value is None else answer.value
    if answer.trouble:
        findings = tuple(
            remarked(finding, f"no line was looked for to the end: {answer.trouble}") for finding in findings
        )
    return dataclasses.replace(report, findings=findings)


@dataclasses.dataclass(frozen=True, slots=True)
class _Search:
    """What came of a walk back: the chain, a remark on the replay, whether it ended at weights that are not finite."""

    chain: Chain
    remark: str
    weights_lost: bool


class _Look:
    """One look at one call of a loss."""

    def __init__(
        self,
        arguments: Mapping[str, Any],
        frame: types.FrameType | None,
        line: int | None,
        *,
        may_replay: bool,
        nodes: Mapping[str, ast.expr],
    ) -> None:
        self._arguments = arguments
        self._nodes = nodes
        self._world = ProgramView(frame, line)
        #: The same with what was recorded, and what was recorded of it; tried first.
        recorder = current()
        self._recorded = ProgramView(frame, line, recorder) if recorder is not None else None
        self._line = line
        # Where shapes are looked for, nothing is computed but shapes; what is worked out there has no values.
        self._formal = ProgramView(frame, line)
        self._workshop, self._shapes = Workshop(), Workshop(formal=True)
        self._deadline = time.monotonic() + TIME_LIMIT * _IN_TIME
        self._may_replay = may_replay
        self._sources: dict[str, Provenance | None] = {}
        #: The findings whose line was found, with the way to it.
        self._origins: list[Candidate] = []

    @contextlib.contextmanager
    def hand(self) -> Iterator[None]:
        """Have the batches in use at hand for as long as the look lasts."""
        around = ProgramView(self._world.frames[0], self._line) if self._world.frames else self._world
        used = [
            *in_use(streams_and_ended(), self._arguments.values(), around.frames),
            *looped_over(streams_and_ended(), map(around.moment, around.frames)),
        ]
        by_iterator = {id(stream.iterator): (stream.iterator, stream.batch) for stream in used}
        batches = at_hand.set(tuple(by_iterator.values()))
        calls, limit = entering.set(self._world.result), until.set(self._deadline)
        try:
            with running(Allowance()) if self._may_replay else contextlib.nullcontext():
                yield
        finally:
            at_hand.reset(batches)
            entering.reset(calls)
            until.reset(limit)

    def located(self, findings: Sequence[Finding]) -> Iterator[tuple[Finding, ...]]:
        """The findings, again and again, each time with more: first samples, then lines, then fixes there."""
        found = list(findings)
        for step in (self._with_samples, self._with_origin, self._with_fix, self._with_classes):
            for number, finding in enumerate(found):
                try:
                    found[number] = step(finding)
                except Refused as refused:
                    found[number] = remarked(finding, str(refused))
                except BaseException as error:  # noqa: BLE001 - batches and programs may be of any make; this is a twin
                    found[number] = with_error(finding, error)
                yield tuple(map(without_example, findings, found))

    def _source(self, name: str) -> Provenance | None:
        if name not in self._sources:
            tensor = self._arguments.get(name)
            source = find_source(tensor, self._follower(name)) if is_tensor(tensor) else None
            if is_tensor(tensor) and self._may_replay:
                source = the_one_in_use(tensor, source, self._world.frames, self._deadline)
            self._sources[name] = source
        return self._sources[name]

    def _follower(self, name: str) -> Callable[[Any], Any] | None:
        """Tells by the program which elements of a tensor of the batch became the argument `name`."""
        if not self._world.frames:
            return None
        # A loop over the loader works on what was delivered last, in use or not. To mix up nothing, another world.
        world = ProgramView(self._world.frames[0], self._line)
        moment = world.standing(world.frames[0])
        node = self._argument(moment, name) if moment else None
        if moment is None or node is None:
            return None

        def follow(field: Any) -> Any:
            known = [stream for stream in streams_and_ended() if stream.has_batch]
            delivered = at_hand.set(tuple((stream.iterator, stream.batch) for stream in known))
            try:
                return Following(field, world).order(node, moment)
            finally:
                at_hand.reset(delivered)

        return follow

    def _with_samples(self, finding: Finding) -> Finding:
        source = self._source(finding.argument)
        tensor = self._arguments.get(finding.argument)
        placed = placed_samples(finding, tensor, source) if source is not None else finding.samples
        return dataclasses.replace(finding, samples=placed)

    def _with_origin(self, finding: Finding) -> Finding:
        found: list[Candidate] = []
        frames, batch = self._world.frames, self._batch_size(finding.argument)
        for argument, symptom in sought(finding, self._arguments, batch, frames):
            search = self._searched(finding, argument, symptom)
            if search.chain and symptom.name == "non-finite" and is_wilful(search.chain[0]) and not _infinite(finding):
                born = self._searched(finding, argument, NOT_A_NUMBER)
                search = dataclasses.replace(born, chain=where_masked(search.chain, born.chain))
            chain, seen = self._by_size(finding, search.chain, symptom)
            counts = chain and seen.about == "values" and only_counts(chain[0])
            chain = None if counts and 0 not in seen.values else chain
            chain = by_sample(
                self._by_use(argument, taken_over(chain, seen), ends=seen.unfinished and finding.seek == "shape")
            )
            place = told(finding, chain, seen, search.remark)
            if search.weights_lost:  # without gradients only the walk back has seen it
                evidence = {**place.evidence, "weights_finite": False}
                place = dataclasses.replace(place, cause=WEIGHTS_LOST, evidence=evidence)
            found.append(Candidate(place, chain, seen, self._is_delivered(argument, symptom)))
        best = chosen(found, by_time=finding.seek in BY_ONE_AXIS)
        self._origins.extend([best] if best is not None else [])
        return best.finding if best else next((each.finding for each in found if not each.chain), finding)

    def _with_fix(self, finding: Finding) -> Finding:
        for best in self._origins:
            if best.finding is finding and best.chain:
                return with_fix(finding, best.chain, best.symptom)
        return finding

    def _by_size(self, finding: Finding, chain: Chain, symptom: Symptom) -> tuple[Chain, Symptom]:
        """For labels beyond a size: the line that made the size too small, if that is at fault and not the labels."""
        labels: Any = self._arguments.get(finding.argument)
        if not is_tensor(labels) or finding.seek not in {"values", "class numbers"}:
            return chain, symptom
        whole, unsure = all_labels(labels, self._world.frames[0]) if self._world.frames else None, False
        for sizes, node, start in self._sizes(finding, labels if whole is None else whole.values):
            if min(symptom.values, default=-1) < sizes.size:
                return chain, symptom
            index = self._argument(start, finding.argument) if finding.seek == "values" else None
            within = self._arguments.get("input")
            if {*symptom.values} == {sizes.size} and (places := of_lengths(within, labels, index, start)):
                return places, symptom
            found = (too_long(sizes.walking, chain[0]) if chain else None) or sizes.judged(chain, node, start)
            if found and found is not chain:
                return found, dataclasses.replace(symptom, name=sizes.kind, values=())
            if found and sizes.is_decided:
                break
            unsure = unsure or found is None
        return None if unsure else chain, symptom

    def _sizes(self, finding: Finding, labels: Any) -> Iterator[tuple[Sizes, ast.expr | None, Statement]]:
        """The size that bounds the labels, as it was recorded and as it is read, with where it is used."""
        axes, source = self._arguments.get("axes") or {}, self._source(finding.argument)
        bound = Bound.of(self._arguments, axes.get(finding.argument, finding.evidence.get("class_axis", 1)))
        own = source is not None and source.has_own_numbers
        for world in filter(None, (self._recorded, self._world)) if bound and self._world.frames else ():
            start = world.standing(world.frames[0]) or world.moment(world.frames[0])
            node = self._argument(start, bound.name) if bound and start is not None else None
            if bound and start is not None and (node is not None or bound.table is not None):
                walking = functools.partial(walk_for, world=world, deadline=self._deadline, may_replay=self._may_replay)
                yield Sizes(walking, dataclasses.replace(bound, of_samples=own), labels), node, start

    def _with_classes(self, finding: Finding) -> Finding:
        """`finding` with the line that says how many classes there are, where more of them are a fix."""
        if widening(finding) is None or not self._world.frames or "classes" not in finding.evidence:
            return finding
        found = self._sizes(finding, self._arguments.get(finding.argument))
        site = next(filter(None, (sizes.constant(node, start) for sizes, node, start in found)), None)
        return with_line(finding, site, self._world.frames[0] if site is None else None)

    def _by_use(self, argument: str, chain: Chain, *, ends: bool) -> Chain:
        at = self._world.standing(self._world.frames[0]) if self._world.frames and chain else None
        if at is None:
            return chain
        if ends:
            chain = after_layer(chain, self._argument(at, argument), at, self._line)
        return by_use(chain, [self._argument(at, other) for other in self._arguments if other != argument], at)

    def _batch_size(self, name: str) -> int | None:
        """How many samples the batch has that an argument came from."""
        source = self._source(name)
        indices = source.delivery.indices if source is not None and source.stream.batches else None
        return len(indices) if isinstance(indices, Sequence) else None

    def _searched(self, finding: Finding, argument: str, symptom: Symptom) -> _Search:
        """The chain behind an argument, and how it was looked for."""
        read = self._formal if symptom.about in {"shape", "kind"} else self._world
        if self._recorded is None:
            return self._walked(finding, argument, symptom, read)
        # What was recorded is surer than what is read; where it does not tell, the source may.
        found = self._walked(finding, argument, symptom, self._recorded)
        if not found.chain and not found.weights_lost:
            found = self._walked(finding, argument, symptom, read)
        recorder = self._recorded.recorder
        if found.chain or found.weights_lost or found.remark or recorder is None or recorder.is_fresh:
            return found
        return dataclasses.replace(found, remark="run with --record=always to follow it")

    def _walked(self, finding: Finding, argument: str, symptom: Symptom, world: ProgramView) -> _Search:
        """One walk back, with one kind of evidence."""
        formal = symptom.about in {"shape", "kind"}
        walk = walk_for(symptom, world, self._deadline, may_replay=self._may_replay)
        calls = entering.set(world.result)
        try:
            with working(self._shapes if formal else self._workshop):
                chain = self._chain(finding, argument, symptom, walk)
        finally:
            entering.reset(calls)
        born = chain and symptom.name == "rows" and is_birth(chain[0])
        unseen = chain and symptom.witnessed and not (chain[0].before or born or symptom.unfinished)
        chain = None if unseen else walk.proved(chain)
        whole = chain and symptom.name == "class numbers" and makes_whole(chain[0].culprit)
        sound = whole or (finding.suspected and not walk.was_cut)
        return _Search(None if sound else chain, walk.remark, walk.weights_lost)

    def _chain(self, finding: Finding, argument: str, symptom: Symptom, walk: Walk) -> Chain:
        if symptom.about == "loss":
            return loss_chosen(walk)
        source = self._source(argument)
        walk.row = _row(finding, source) if argument == finding.argument else None
        handed = self._is_delivered(argument, symptom)
        # Lengths may be the batch's own and yet have gone through the model.
        if source is not None and handed and source.field.is_same and finding.seek != "lengths":
            return delivered(walk, source.stream, source.delivery, source.field.path)
        # A loader that looks ahead has let go of the batch in use, so that one made again is never the very same.
        if source is not None and handed and source.is_made_again and self._is_copy(source, argument):
            chain = delivered(walk, source.stream, source.delivery, source.field.path)
            if chain:
                return chain
        world = walk.world
        moment = world.standing(world.frames[0]) if world.frames else None
        node = self._argument(moment, argument) if moment else None
        if moment is not None and node is None:
            kept = walk.construction.kept_by_loss(moment, argument, self._arguments.get(argument))
            chain = walk.back(*kept) if kept is not None else None
        else:
            chain = walk.back(node, moment) if moment and node is not None else None
        if finding.seek == "lengths" and moment is not None:
            chain = kept_too_long(chain, self._argument(moment, next(iter(self._arguments))), node, moment)
        if chain or source is None or not handed or finding.seek == "lengths" or not self._is_copy(source, argument):
            return chain
        return delivered(walk, source.stream, source.delivery, source.field.path)

    def _is_delivered(self, argument: str, symptom: Symptom) -> bool:
        """Whether the batch held the argument already, and as bad as it is."""
        source = self._source(argument)
        return source is not None and symptom.judge(source.field.value) is Judgement.BAD

    def _argument(self, moment: Statement, name: str) -> ast.expr | None:
        """The expression in the call of the loss that became the argument `name`."""
        if name in self._nodes:
            return self._nodes[name]
        frame = self._world.frames[0]
        return argument_in(moment, name, self._arguments, expression_at(frame.f_code, frame.f_lasti))

    def _is_copy(self, source: Provenance, name: str) -> bool:
        """Whether the argument differs from the field of the batch in nothing but its place in memory."""
        tensor, leaf = self._arguments[name], source.field.value
        return getattr(leaf, "dtype", None) == tensor.dtype and tuple(leaf.shape) == tuple(tensor.shape)


def _line(finding: Finding, frame: types.FrameType | None) -> int | None:
    """The line of the call, where the frame has gone on since: an exception may be looked at later."""
    place = finding.place
    own = place is not None and frame is not None and frame.f_code.co_filename.endswith(place.file.removeprefix("./"))
    return place.line if own and place is not None else None


def _infinite(finding: Finding) -> int:
    """How many infinities the loss itself was given."""
    return sum(finding.evidence.get(f"{sign}_infinity") or 0 for sign in ("positive", "negative"))


def _row(finding: Finding, source: Provenance | None) -> int | None:
    """The row of the batch that the first offender stands in."""
    if source is None or not finding.samples:
        return None
    position = finding.samples[0].position
    return None if position is None else source.index_at(position)[0]
