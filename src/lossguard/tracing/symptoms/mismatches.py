"""Two arguments that do not go together: at which line one of them ceased to fit the other."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from lossguard.tracing.symptoms.symptom import BAD, NEITHER, Answer, Judgement, Symptom, shape_of

#: What is sought where one argument has an axis of size 1 more than the other.
BY_ONE_AXIS: Final = frozenset({"column", "broadcast"})
#: What is sought where a shape is wrong.
OF_SHAPES: Final = BY_ONE_AXIS | {"one-hot", "rows", "shape", "length", "lengths"}
#: What is a matter of which axes there are, and not of how long the first of them is.
OF_AXES: Final = frozenset({"column", "one-hot"})
#: No more axes are tried in every order.
_FEW: Final = 6

Named = tuple[str, Any]
Shape = tuple[int, ...]


def between(given: Named, target: Named, *, rows: bool, batch: int | None = None) -> list[tuple[str, Symptom]]:
    """For the input and for the target, the shape that it has and those that would have fitted the other.

    Where one of them, and it alone, does not begin with the axis of the `batch`, and has its axes in a wrong order,
    the line that put them into that order is looked for.
    """
    ours, theirs = shape_of(given[1]), shape_of(target[1])
    if rows and ours and theirs:
        return [(given[0], _rows(ours[0], theirs[0])), (target[0], _rows(theirs[0], ours[0]))]
    first = tuple(shape[0] if shape else None for shape in (ours, theirs))
    if batch in first and first[0] != first[1] and _is_turned(ours, theirs):
        if first[0] == batch:
            return [
                (target[0], _shaped(theirs, lambda shape: _is_unturned(shape, theirs) or len(shape) == len(theirs) - 1))
            ]
        return [(given[0], _shaped(ours, lambda shape: _is_unturned(shape, ours)))]
    if len(ours) > 2 and _fits((ours[0], ours[-1], *ours[1:-1]), theirs):
        # The classes are last: there were features before, or the same scores were laid out in other axes.
        laid_out = lambda shape: shape[:-1] == ours[:-1] or math.prod(shape) == math.prod(ours)  # noqa: E731 - one line
        return [(given[0], replace(_shaped(ours, laid_out), unfinished=True))]
    if (places := _places(ours, theirs)) is not None:
        return [(given[0], _sized(*places, ours[0])), (target[0], _sized(*places[::-1], ours[0]))]
    # Each entry of the target may have had a row of scores, before these were put into one row after the other.
    flat = ours[0] == math.prod(theirs) if ours else False
    return [
        (
            given[0],
            _shaped(
                ours,
                lambda shape: (
                    _fits(shape, theirs) or _lost_batch(shape, ours, theirs) or (flat and shape[:-1] == theirs)
                ),
            ),
        ),
        (target[0], _shaped(theirs, lambda shape: _fits(ours, shape) or _lost_batch(shape, theirs, ours))),
    ]


def _lost_batch(shape: Shape, now: Shape, other: Shape) -> bool:
    """Whether the axis of a batch of one was still there, and is gone with others of size 1."""
    one = shape[:1] == other[:1] == (1,) != now[:1]
    return one and [size for size in shape if size != 1] == [size for size in now if size != 1]


def _places(given: Shape, target: Shape) -> tuple[Shape, Shape] | None:
    """The heights and widths, and depths, of two batches of images that differ in nothing else."""
    many = len(given) - 2
    if many < 2 or len(given) - len(target) not in {0, 1} or given[0] != target[0]:
        return None
    return (given[2:], target[-many:]) if given[2:] != target[-many:] else None


def _sized(bad: Shape, good: Shape, batch: int) -> Symptom:
    """For a batch of images that had the right size before, or went into it and was enlarged to what does not.

    What is done to each sample may be right, and missing in the other; a height taken for a width is not.
    """
    many, turned = len(bad), sorted(bad) == sorted(good)

    def test(value: Any) -> Answer:
        shape = shape_of(value)
        # The channels of an image may stand last.
        found = [shape[-many:], shape[-many - 1 : -1]] if len(shape) >= many else []
        if bad in found:
            return Judgement.BAD
        sizes = zip(shape[-many:], bad, good, strict=len(shape) >= many)
        short = bool(found) and all(was < now and right % was == 0 != right % now for was, now, right in sizes)
        right = good in found and shape[0] == batch and len(shape) > many
        unturned = turned and any(_alike(size, good) and not _alike(size, bad) for size in found)
        return Judgement.GOOD if short or right or unturned else Judgement.NEITHER

    return Symptom("shape", "shape", test, witnessed=True)


def _alike(one: Shape, other: Shape) -> bool:
    """Whether two sizes have the same proportions."""
    return len(one) == len(other) and all(a * other[0] == b * one[0] for a, b in zip(one, other, strict=True))


def _is_turned(given: Shape, target: Shape) -> bool:
    """Whether the two would fit with the axes of one of them in another order, and in one other order only."""
    distinct = len(set(given)) == len(given) and len(set(target)) == len(target)
    return distinct and len(given) <= _FEW and any(_fits(order, target) for order in itertools.permutations(given))


def _is_unturned(shape: Shape, turned: Shape) -> bool:
    return shape != turned and sorted(shape) == sorted(turned)


def by_one_axis(
    given: Named, target: Named, *, spreads: bool = False, usual: Sequence[Shape] = ()
) -> list[tuple[str, Symptom]]:
    """For an input and a target of which one has an axis of size 1 more than the other, or a target that has one.

    Each is asked for its own part in it: the wider one where it got the axis, the narrower one where it lost it. Where
    the loss `spreads` one over the other, what is spread already is asked where that was done. Where others like them
    have their `usual` shape, and the input has it too, the target lacks an axis from when it became a tensor.
    """
    ours, theirs = shape_of(given[1]), shape_of(target[1])
    for own, bad, other in ((target, theirs, ours), (given, ours, theirs)):
        if spreads and _is_spread(bad, other):
            sizes = _sizes(other)
            spread = _shaped(bad, lambda shape, sizes=sizes: _sizes(shape) == sizes)
            return [(own[0], replace(spread, among=functools.partial(_odd, other)))]
    wide, narrow, shapes = (
        (target, given, (theirs, ours)) if len(theirs) > len(ours) else (given, target, (ours, theirs))
    )
    axes = [axis for axis in range(len(shapes[0])) if _without(shapes[0], axis) == shapes[1] and shapes[0][axis] == 1]
    if not axes:
        axis = next((axis for axis in (1, *range(len(theirs))) if theirs[axis : axis + 1] == (1,)), None)
        return [] if not axis else [(target[0], _widened(len(theirs) - 2, axis))]
    if axes == [0]:
        # A batch of one, whose axis was lost with another; or an axis in front that does not belong there.
        lost = (narrow[0], _shaped(shapes[1], lambda shape: len(shape) > len(shapes[1]) and shape[0] == 1))
        return [lost, (wide[0], _shaped(shapes[0], lambda shape: shape == shapes[1]))]
    lost = (narrow[0], _lost(shapes[1], axes[-1]))
    if wide is target:
        return [(target[0], _widened(len(theirs) - 2, axes[-1])), lost]
    if usual and set(usual) == {ours}:
        return [lost, (target[0], _of_tensors(lost[1]))]
    # A layer with one output gives the axis from the first; then what should take it out again is missing.
    born = Symptom("shape", "shape", lambda value: BAD if shape_of(value) == ours else NEITHER, unfinished=True)
    return [lost, (given[0], _shaped(ours, lambda shape: shape == theirs)), (given[0], born)]


def _of_tensors(symptom: Symptom) -> Symptom:
    """The same for what is missing where a tensor is made, whatever it is made of."""
    judge = symptom.test
    test = lambda value: judge(value) if hasattr(value, "detach") else NEITHER  # noqa: E731 - one line says it
    return replace(symptom, test=test, witnessed=False, unfinished=True)


def _is_spread(wide: Shape, other: Shape) -> bool:
    """Whether entries of `wide` were combined each with each: it has an axis of the batch's size more than `other`."""
    return len(wide) > 1 and wide[0] == wide[1] > 1 and _sizes(wide[1:]) == _sizes(other)


def _odd(right: Shape, values: Sequence[Any]) -> tuple[int, Symptom] | None:
    """Of what was combined each with each, the only one without the right axes, if another has them."""
    shapes = [shape_of(value) for value in values]
    odd = [place for place, shape in enumerate(shapes) if shape != right and _sizes(shape) == _sizes(right)]
    if right not in shapes or len(odd) != 1:
        return None
    bad = shapes[odd[0]]
    axes = [axis for axis in range(len(right)) if _without(right, axis) == bad]
    # What is too narrow had an axis of any size where it lacks one, before that was taken out.
    return odd[0], _shaped(
        bad, lambda shape: shape == right or (len(shape) == len(right) and any(_without(shape, a) == bad for a in axes))
    )


def _sizes(shape: Shape) -> list[int]:
    """The sizes of the axes that have one."""
    return [size for size in shape if size != 1]


def _widened(rank: int, axis: int) -> Symptom:
    """For labels of so many axes a sample, that have one of size 1 too many, the `axis` of the batch."""

    def test(value: Any) -> Answer:
        shape = shape_of(value)
        if not rank:
            return shape[-1:] == (1,)
        # Of one sample the axis may stand anywhere: the channel of an image is moved to the front later on.
        extra = (1 in shape and len(shape) == rank + 1) or (shape[axis : axis + 1] == (1,) and len(shape) == rank + 2)
        return Judgement.BAD if extra else Judgement.GOOD if rank <= len(shape) <= rank + 1 else Judgement.NEITHER

    return Symptom("column", "shape", test)


def _lost(bad: Shape, axis: int) -> Symptom:
    """For what had an axis of size 1, in the batch or in each sample, before it was taken out."""
    sample, before = bad[1:], (*bad[1:axis], 1, *bad[axis:])

    def test(value: Any) -> Answer:
        shape = shape_of(value)
        if before in (shape, shape[1:]):
            return Judgement.GOOD
        return Judgement.BAD if sample in (shape, shape[1:]) else Judgement.NEITHER

    return Symptom("shape", "shape", test, witnessed=True)


def _without(shape: Shape, axis: int) -> Shape:
    return (*shape[:axis], *shape[axis + 1 :])


def _rows(bad: int, good: int) -> Symptom:
    """By the number of rows alone, or of what become rows when axes are joined.

    Where the right number stands on another axis, rows may be there.
    """

    def test(value: Any) -> Answer:
        shape = shape_of(value)
        if shape[:1] == (bad,):
            return None if good in shape else Judgement.BAD
        if shape[:1] == (good,):
            return Judgement.GOOD
        joined = {math.prod(shape), math.prod(shape[:-1])} & {bad, good} if len(shape) > 1 else set()
        if bad in joined and good in shape[1:-1]:
            return Judgement.GOOD  # as many rows as there should be, until another axis is joined to theirs
        return Judgement.NEITHER if len(joined) != 1 else Judgement.BAD if bad in joined else Judgement.GOOD

    uncut = lambda start: _rows(start + bad, start + good)  # noqa: E731 - one line says it
    return Symptom("rows", "shape", test, witnessed=True, by_length=True, uncut_from=uncut)


def _shaped(bad: Shape, is_good: Any) -> Symptom:
    def test(value: Any) -> Answer:
        shape = shape_of(value)
        if shape == bad:
            return Judgement.BAD
        return Judgement.GOOD if shape and is_good(shape) else Judgement.NEITHER

    return Symptom("shape", "shape", test, witnessed=True)


def _fits(given: Shape, target: Shape) -> bool:
    """Whether a target goes with an input: entry by entry, or one label for the classes on axis 1."""
    return given == target or (len(given) > 1 and (given[0], *given[2:]) == target)


def of_device(name: str, arguments: Mapping[str, Any]) -> list[tuple[str, Symptom]]:
    """A tensor that is not where the first one is."""
    devices = [str(value.device) for value in arguments.values() if hasattr(value, "device")]
    own = str(getattr(arguments.get(name), "device", ""))
    if not devices or not own or own == devices[0]:
        return []

    def test(value: Any) -> Answer:
        found = str(getattr(value, "device", ""))
        return Judgement.BAD if found == own else Judgement.GOOD if found == devices[0] else Judgement.NEITHER

    return [(name, Symptom("device", "device", test, witnessed=True))]
