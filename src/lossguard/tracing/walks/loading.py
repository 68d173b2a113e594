"""Back through a loader: the collate function, the dataset's own code, and where its data was made."""

from __future__ import annotations

import functools
import itertools
import sys
import time
from collections.abc import Iterator
from typing import Any, Final

from lossguard.paths import is_users
from lossguard.tracing.batches.caches import set_aside
from lossguard.tracing.batches.loaders import Delivery, Stream, streams_and_ended
from lossguard.tracing.batches.samples import base_dataset, is_torchs
from lossguard.tracing.evidence.replay import Activation, Replay, replay, run_plainly
from lossguard.tracing.links.comprehensions import turn_around
from lossguard.tracing.links.datasets import argument_at
from lossguard.tracing.links.statements import Statement
from lossguard.tracing.program.reaching import EACH, Path
from lossguard.tracing.symptoms.symptom import Judgement, shape_of
from lossguard.tracing.values.evaluating import UNKNOWN
from lossguard.tracing.values.projecting import is_stream_of, project
from lossguard.tracing.walks.entering import into, iterated
from lossguard.tracing.walks.steps import Chain, handed_on
from lossguard.tracing.walks.walk import Walk

#: How often a sample is asked for again while it comes out well: so often in any case, more often for so many seconds
#: of computing; and how many of its neighbours are.
_ATTEMPTS: Final = 12
_MOST_ATTEMPTS: Final = 10_000
_PATIENCE: Final = 0.5
_NEIGHBOURS: Final = 63
#: How many samples of a stream are collated again.
_FIRST: Final = 4


def loaded(walk: Walk, loader: Any, path: Path) -> Chain:
    """A batch that came out of `loader`: replay how it was made."""
    for stream in streams_and_ended():
        if is_stream_of(stream.iterator, loader) and stream.deliveries:
            return delivered(walk, stream, stream.deliveries[0], path)
    return None


def delivered(walk: Walk, stream: Stream, delivery: Delivery, path: Path) -> Chain:
    """The chain behind the part at `path` of a batch."""
    key = (id(stream.iterator), repr(path))  # a path may hold slices and lists, which have no hash
    if key not in walk.told:
        walk.told[key] = _told_of(walk, stream, delivery, path)
    return walk.told[key]


def _told_of(walk: Walk, stream: Stream, delivery: Delivery, path: Path) -> Chain:
    if stream.is_iterable:
        walk.remark = "an iterable dataset cannot be asked for a sample again"
        if stream.batches and not is_torchs(stream.collate):
            return _collated_stream(walk, stream, path)
        return iterated(walk, stream.dataset, path) or _held_by_name(walk, stream.dataset, (EACH, *path))
    if not walk.may_replay or delivery.indices is None:
        return None
    together = _replayed(walk, stream, delivery, path)
    if together is None:
        return None
    if not together.roots:
        return _sampled(walk, path)
    walk.batch_roots = {id(root) for root in together.roots}
    root = _root(together, together.result)
    return into(walk, root, path if root is together.roots[0] else ()) if root else None


def _collated_stream(walk: Walk, stream: Stream, path: Path) -> Chain:
    """Behind a collate function of the user's: replayed with the first samples of the dataset, asked for anew."""
    if not walk.may_replay:
        return None
    samples = run_plainly(lambda: list(itertools.islice(stream.dataset, _FIRST)), walk.deadline)
    if samples.failure or not samples.result:
        return None
    together = replay(lambda: stream.collate(samples.result), walk.deadline)
    root = _root(together, together.result) if not together.failure else None
    if root is None or not _may_be_bad(walk, project(together.result, path)):
        return None
    walk.batch_roots, walk.streamed = {id(each) for each in together.roots}, (stream, samples.result[0])
    return into(walk, root, path if root is together.roots[0] else ())


def _replayed(walk: Walk, stream: Stream, delivery: Delivery, path: Path) -> Replay | None:
    """Ask for the sample until it is bad again: for what is random more than once, then for its neighbours."""
    patience = time.process_time() + _PATIENCE
    for attempt, index in enumerate(_indices(walk, stream, delivery, path)):
        if attempt >= _ATTEMPTS and time.process_time() > patience and walk.symptom.about != "dtype":
            break
        for one in _fetched(walk, stream, index):
            if one.failure:
                walk.remark = f"replaying the sample failed: {one.failure}"
                return None
            walk.sample = (stream, index, one)
            together = _collated(walk, stream, delivery, one) if stream.batches else Replay()
            part = project(together.result if together.roots else one.result, path)
            _look_behind(walk, part)
            if _may_be_bad(walk, part):
                return together
    whole = _collated_whole(walk, stream, delivery) if stream.batches else Replay()
    if whole.roots and _may_be_bad(walk, project(whole.result, path)):
        return whole
    walk.remark = "asked again, the sample is not the same: it is random, or the whole batch made it bad"
    return None


def _fetched(walk: Walk, stream: Stream, index: Any) -> Iterator[Replay]:
    """A sample asked for again: without what caches remember, if there are any, and then as it was."""
    with set_aside(stream.dataset, _base_or_none(stream.dataset, index)) as remembered:
        anew = replay(lambda: stream.fetch(index), walk.deadline) if remembered else None
    if anew is not None and not anew.failure:
        yield anew
    yield replay(lambda: stream.fetch(index), walk.deadline)


def _look_behind(walk: Walk, part: Any) -> None:
    """Of a part of a sample that is no tensor yet: on with what makes a bad tensor of it."""
    if walk.symptom.behind is not None and part is not UNKNOWN and not hasattr(part, "detach"):
        walk.symptom = walk.symptom.behind


def _may_be_bad(walk: Walk, part: Any) -> bool:
    return part is UNKNOWN or walk.symptom.judge(part) in {Judgement.BAD, Judgement.UNKNOWN}


def _collated_whole(walk: Walk, stream: Stream, delivery: Delivery) -> Replay:
    """The collate function over all samples of the batch."""
    samples = run_plainly(lambda: [stream.fetch(index) for index in delivery.indices], walk.deadline)
    return Replay() if samples.failure else replay(lambda: stream.collate(samples.result), walk.deadline)


def _indices(walk: Walk, stream: Stream, delivery: Delivery, path: Path) -> list[Any]:
    """The offender's index first and a few times; then, as one float makes a batch float, those of the others."""
    if not stream.batches:
        return [delivery.indices] * _MOST_ATTEMPTS
    rows = list(delivery.indices)
    row = _bad_row(walk, stream, path, len(rows)) if walk.row is None else walk.row
    first = rows[row if row < len(rows) else 0]
    others = [row for row in rows if row is not first][:_NEIGHBOURS] if walk.symptom.about == "dtype" else []
    return [first, *others] if others else [first] * _MOST_ATTEMPTS


def _bad_row(walk: Walk, stream: Stream, path: Path, many: int) -> int:
    """The first row of the batch that is bad, 0 if none is by itself."""
    part = project(stream.batch, path) if stream.has_batch else UNKNOWN
    if part is UNKNOWN or shape_of(part)[:1] != (many,):
        return 0
    return next((row for row in range(many) if walk.is_bad(project(part, (row,)))), 0)


def _collated(walk: Walk, stream: Stream, delivery: Delivery, one: Replay) -> Replay:
    """The collate function over this one sample, or over all of the batch if one alone will not do."""
    if walk.symptom.about == "shape" and len(delivery.indices) > 1:
        # A batch of one has an axis of size 1 that the real one had not.
        return _collated_whole(walk, stream, delivery)
    together = replay(lambda: stream.collate([one.result]), walk.deadline)
    return _collated_whole(walk, stream, delivery) if together.failure else together


def _sampled(walk: Walk, path: Path) -> Chain:
    """Behind the sample: the dataset's own code, or the data that it holds."""
    if walk.streamed is not None:
        stream, first = walk.streamed
        good = walk.symptom.judge(project(first, path)) is Judgement.GOOD
        return None if good else iterated(walk, stream.dataset, path)
    if walk.sample is None:
        return None
    stream, index, one = _worst_sample(walk, *walk.sample, path)
    part = project(one.result, path)
    _look_behind(walk, part)
    if part is not UNKNOWN and walk.symptom.judge(part) is Judgement.GOOD:
        return None
    root = _root(one, part)
    if root is None and (transform := _transform(walk, one, path)) is not None:
        return into(walk, transform, path)
    if root is None:
        return _held(walk, stream, index, path) if not one.roots else None
    if root.code.co_name == "__getitems__":
        return into(walk, root, (0, *path))
    whole = root.code.co_name == "__getitem__" or root.returned is one.result
    return into(walk, root, path if whole else ())


def _worst_sample(walk: Walk, stream: Stream, index: Any, one: Replay, path: Path) -> tuple[Stream, Any, Replay]:
    """The sample that was asked for again; if it is good, the first of its batch that is bad.

    Where labels of all samples are put one after the other, the row of a bad one is not the number of its sample.
    """
    part = project(one.result, path)
    rows = stream.deliveries[0].indices if stream.batches and stream.deliveries else None
    if part is UNKNOWN or rows is None or walk.symptom.judge(part) is not Judgement.GOOD:
        return stream, index, one
    for other in rows:
        again = run_plainly(functools.partial(stream.fetch, other), walk.deadline)
        if not again.failure and walk.is_bad(project(again.result, path)):
            return stream, other, replay(functools.partial(stream.fetch, other), walk.deadline)
    return stream, index, one


def _root(found: Replay, part: Any) -> Activation | None:
    """The call that gave the whole result, or the one transform that gave this part of it."""
    for root in found.roots:
        if root.code.co_name in {"__getitem__", "__getitems__"} or root.returned is found.result:
            return root
    giving = [root for root in found.roots if root.ended and (root.returned is part or _equal(root.returned, part))]
    return giving[0] if len(giving) == 1 else None


def _transform(walk: Walk, found: Replay, path: Path) -> Activation | None:
    """The one function that the dataset calls on its rows, if what it gave is bad at the same path."""
    root = found.roots[0] if len(found.roots) == 1 else None
    return root if root is not None and root.ended and walk.is_bad(project(root.returned, path)) else None


def entered_by_loader(walk: Walk, moment: Statement, path: Path) -> Chain:
    """The parameter of a collate function, one that was replayed or that runs now: a list of samples."""
    activation = getattr(moment, "activation", None)
    if not path or not (path[0] is EACH or isinstance(path[0], int | slice)):
        return None
    if activation is not None and id(activation) in walk.batch_roots:
        return _sampled(walk, path[1:])
    stream = _fetching(walk, moment)
    rows = stream.deliveries[0].indices if stream is not None and walk.may_replay else []
    for index in rows[path[0] : path[0] + 1] if isinstance(path[0], int) else rows:
        one = replay(functools.partial(stream.fetch, index), walk.deadline) if stream is not None else Replay()
        if stream is not None and not one.failure and _may_be_bad(walk, project(one.result, path[1:])):
            walk.sample = (stream, index, one)
            return _sampled(walk, path[1:])
    return None


def _fetching(walk: Walk, moment: Statement) -> Stream | None:
    """The batch that is being made just now, if the function around a statement is called for that by torch."""
    source, node = moment.scope.source, moment.scope.node
    for frame in walk.world.frames:
        caller = frame.f_back
        asked = caller.f_locals if caller is not None and caller.f_code.co_name == "fetch" else {}
        indices, fetcher = asked.get("possibly_batched_index"), asked.get("self")
        making = isinstance(indices, list) and source.function_of(frame.f_code) is node
        if making and fetcher is not None and hasattr(fetcher, "collate_fn"):
            batch = (Delivery(0, indices),)
            return Stream(fetcher, fetcher.dataset, fetcher.collate_fn, True, False, batch, None, False)
    return None


def _held(walk: Walk, stream: Stream, index: Any, path: Path) -> Chain:
    """No line of the user's ran: the sample was bad in the data that the dataset holds."""
    dataset, inner = base_dataset(stream.dataset, index)
    tensors = getattr(dataset, "tensors", None)
    if isinstance(tensors, tuple) and path and isinstance(path[0], int):
        site = walk.construction.site(dataset)
        given = argument_at(site[0].args, path[0]) if site is not None else None
        if site is not None and given is not None:
            turn = turn_around(given[0], site[1], walk.is_bad)
            chain = handed_on("", walk.back(given[0], turn, (*given[1], inner, *path[1:])), site[1])
            return chain or _held_by_name(walk, dataset, (EACH, *path))
        return _held_by_name(walk, tensors[path[0]], (inner, *path[1:]))
    return _held_by_name(walk, dataset, (inner, *path)) or _held_in_part(walk, dataset, inner, path)


def _held_in_part(walk: Walk, dataset: Any, index: Any, path: Path) -> Chain:
    """A dataset of a library that was given arrays and gives an element of each: the one array that gave this part."""
    if not path or is_users(getattr(sys.modules.get(type(dataset).__module__), "__file__", None) or ""):
        return None
    try:
        part = dataset[index][path[0]]
    except Exception:  # noqa: BLE001 - whatever a dataset does not give is not followed
        return None
    arrays = [each for each in getattr(dataset, "__dict__", {}).values() if getattr(each, "shape", ())]
    holding = [each for each in arrays if _gives(each, index, part)]
    return _held_by_name(walk, holding[0], (index, *path[1:])) if len(holding) == 1 else None


def _gives(array: Any, index: Any, part: Any) -> bool:
    """Whether this is the element of an array, be it a number or a row."""
    try:
        element = array[index]
        same = element == part
        whole = bool(same.all() if hasattr(same, "all") else same)
        return whole and getattr(element, "shape", ()) == getattr(part, "shape", ())
    except Exception:  # noqa: BLE001 - a table may know no such index
        return False


def _held_by_name(walk: Walk, thing: Any, path: Path) -> Chain:
    for node, moment in walk.construction.holding(thing):
        chain = walk.back(node, moment, path)
        if chain is not None:
            return chain
    return None


def _base_or_none(dataset: Any, index: Any) -> Any:
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
