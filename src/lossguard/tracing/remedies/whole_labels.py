"""All labels of the data that a batch was taken from, where they are at hand; and whether a fix does for them too.

Only attributes that are plain data are read: of the dataset a loader is working on, of a table in it, of the tensor
that a batch is a slice of. No code of the user's runs.
"""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from lossguard.contracts.call import Call
from lossguard.contracts.contract import Bounds, Meaning
from lossguard.contracts.interpretation import interpret
from lossguard.facts.facts import Facts
from lossguard.facts.observation import is_tensor, observe_call, shapes_of
from lossguard.findings import Finding, Fix, Safety, Scope
from lossguard.fixing.checking import evaluated, read_change
from lossguard.records import dataclass, replace
from lossguard.tracing.batches.loaders import streams_and_ended

#: What gives the facts of all labels, relative to bounds.
Observe = Callable[[Any, Bounds], Facts]
#: More labels than this are not read.
_MOST: Final = 50_000_000
#: So many datasets inside of each other are unwrapped.
_DEEP: Final = 8


@dataclass(frozen=True, slots=True)
class Labels:
    """All labels, as a tensor, and what they are a part of: `column "label"`, `dataset`."""

    values: Any
    what: str


def judged_on_all(finding: Finding, call: Call, frame: types.FrameType | None, observe: Observe) -> Finding:
    """`finding` with its fixes judged on all labels, where these are at hand and are class indices."""
    target = call.arguments.get(finding.argument)
    if not is_tensor(target) or not any(fix.checked for fix in finding.fixes):
        return finding
    labels, bounds = all_labels(target, frame), _bounds(finding.argument, call)
    if labels is None or bounds is None:
        return finding
    facts = observe(labels.values, bounds)
    kept = [fix for fix in finding.fixes if not _fails(fix, finding.argument, labels, bounds, observe)]
    fixes = (*_without_missing(finding, labels, facts), *(_judged(fix, labels, facts) for fix in kept))
    largest = {} if facts.largest is None else {"largest_of_all": facts.largest}
    return replace(finding, fixes=fixes, evidence={**finding.evidence, **largest})


def all_labels(target: Any, frame: types.FrameType | None = None) -> Labels | None:
    """All labels of the data that `target` is a batch of, if they are at hand: in a dataset, or in a variable."""
    base = target._base if is_tensor(target) and target._is_view() else None  # noqa: SLF001 - torch has no other name
    if base is not None and base.ndim == target.ndim and base.numel() > target.numel() and base.dtype == target.dtype:
        return Labels(base.detach(), "dataset")
    for stream in streams_and_ended():
        indices = stream.deliveries[0].indices if stream.deliveries else None
        if isinstance(indices, Sequence) and not stream.is_iterable:
            for held, chosen in _unwrapped(stream.dataset, [*indices]):
                for name, values in (column for part in held.values() for column in _columns(part)):
                    if _is_source(values, chosen, target):
                        return Labels(values, name)
    return None if frame is None else _in_variables(target, frame)


def _in_variables(target: Any, frame: types.FrameType) -> Labels | None:
    """The one column of tables in the program's variables that has the batch in it, as a stretch of rows."""
    batch = target.detach().cpu().flatten().double().numpy() if target.ndim <= 2 else []
    found: dict[str, Labels] = {}
    for value in {**frame.f_globals, **frame.f_locals}.values():
        if type(value).__module__.partition(".")[0] == "pandas":
            for name, numbers in _columns(value):
                longer = name not in found or len(numbers) > len(found[name].values)
                if longer and _has_stretch(numbers.double().numpy(), batch):
                    found[name] = Labels(numbers, name)
    return next(iter(found.values())) if len(found) == 1 else None


def _has_stretch(values: Any, batch: Any) -> bool:
    """Whether the batch is a stretch of more values than it has itself."""
    import numpy as np

    if values.ndim != 1 or not 1 < len(batch) < len(values):
        return False
    starts = np.arange(len(values) - len(batch) + 1)
    for number, label in enumerate(batch):
        taken = values[starts + number]
        starts = starts[(taken == label) | (np.isnan(taken) & np.isnan(label))]
    return len(starts) > 0


def _unwrapped(dataset: Any, indices: list[Any]) -> Iterator[tuple[Mapping[str, Any], list[Any]]]:
    """What a dataset and those inside of it hold, as `Subset` and its like do, each with the batch's indices in it."""
    for _ in range(_DEEP):
        held = vars(dataset) if hasattr(dataset, "__dict__") else {}
        yield (held if held.get("cumulative_sizes") is None else _put_together(held.get("datasets"))), indices
        dataset, chosen = held.get("dataset"), held.get("indices")
        try:
            indices = indices if chosen is None else [int(chosen[index]) for index in indices]
        except (TypeError, IndexError, ValueError, KeyError):
            return


def _put_together(datasets: Any) -> dict[str, Any]:
    """The numbers that several datasets hold under one name, one after the other, as `ConcatDataset` does.

    Each has numbers of its own; where all have the same, one of them may be numbered wrongly.
    """
    import torch

    own = [vars(each) for each in datasets if hasattr(each, "__dict__")] if isinstance(datasets, list) else []
    parts: list[dict[Any, Any]] = [{**held, **dict(enumerate(held.get("tensors", ())))} for held in own]
    found: dict[str, Any] = {}
    for name in parts[0] if parts and len(parts) == len(datasets) else ():
        held = [_numbers(part.get(name)) if part.get(name) is not None else None for part in parts]
        kept = [each for each in held if each is not None and each.ndim]
        alike = len(kept) == len(parts) == len([each for each in kept if each.shape[1:] == kept[0].shape[1:]])
        if alike and all(each.numel() for each in kept) and _are_apart(kept):
            found[str(name)] = torch.cat(kept)
    return found


def _are_apart(parts: list[Any]) -> bool:
    """Whether the numbers of each part are all larger than those of the part before."""
    return all(bool(before.max() < after.min()) for before, after in itertools.pairwise(parts))


def _columns(value: Any) -> Iterator[tuple[str, Any]]:
    """The columns of numbers in a value, as tensors with their names."""
    kind = f"{type(value).__module__.partition('.')[0]}.{type(value).__name__}"
    columns: list[tuple[str, Any]] = [("dataset", value)]
    if kind == "pandas.DataFrame":
        columns = [(f'column "{name}"', value[name]) for name in value.columns]
    elif kind == "pandas.Series":
        columns = [(f'column "{value.name}"', value)]
    elif type(value) is tuple and all(map(is_tensor, value)):
        columns = [("dataset", item) for item in value]
    for name, column in columns:
        if (numbers := _numbers(column)) is not None:
            yield name, numbers


def _numbers(column: Any) -> Any | None:
    """A column as a tensor of its own dtype; None for what are no numbers."""
    import numpy as np
    import torch

    try:
        if is_tensor(column):
            return column.detach() if column.device.type == "cpu" and column.numel() <= _MOST else None
        if type(column) is list:
            plain = column and all(type(item) in {int, float, bool} for item in column[:1000])
            return torch.tensor(column) if plain else None
        if hasattr(column, "to_numpy"):
            column = column.to_numpy(dtype=None if column.dtype.kind in "biuf" else float, na_value=np.nan)
        if isinstance(column, np.ndarray) and column.dtype.kind in "biuf" and column.size <= _MOST:
            return torch.from_numpy(np.array(column))
    except (TypeError, ValueError, RuntimeError, AttributeError):
        return None
    return None


def _is_source(values: Any, indices: list[Any], target: Any) -> bool:
    """Whether the batch holds exactly the entries of `values` at these indices."""
    import torch

    try:
        taken = values[torch.tensor([int(index) for index in indices])].to(torch.float64)
        batch = target.detach().to(torch.float64)
        if taken.numel() != batch.numel() or len(values) <= len(indices):
            return False
        return bool(torch.allclose(taken.flatten(), batch.flatten(), rtol=0, atol=0, equal_nan=True))
    except (TypeError, ValueError, IndexError, RuntimeError):
        return False


def _bounds(argument: str, call: Call) -> Bounds | None:
    """The bounds that the loss sets to class indices; None where it sets none."""
    observation = observe_call(call, deep=False)
    meant = interpret(call.contract, shapes_of(observation.arguments))
    given = next((a for a in (meant.reading.arguments if meant.reading else ()) if a.name == argument), None)
    if given is None or given.bounds is None or given.meaning is not Meaning.CLASS_INDICES:
        return None
    return given.bounds.resolve(meant.sizes, shapes_of(observation.arguments))


def _fails(fix: Fix, argument: str, labels: Labels, bounds: Bounds, observe: Observe) -> bool:
    """Whether a fix that moves each label, as `target - 1` does, moves others of the data out of range."""
    change = read_change(fix.code, argument) if fix.safety is Safety.CHANGES_VALUES and fix.code else None
    moved = evaluated(change, {argument: labels.values}) if change and change.values.keys() == {argument} else None
    if moved is None or not is_tensor(moved[argument]) or moved[argument].shape != labels.values.shape:
        return False
    return bool(observe(moved[argument], bounds).out_of_bounds)


def _without_missing(finding: Finding, labels: Labels, facts: Facts) -> list[Fix]:
    """Missing labels as the ignore index, where the loss has one and nothing else is wrong with the labels."""
    ignore = facts.bounds.ignore if facts.bounds is not None else None
    if ignore is None or not facts.nan or facts.infinite or facts.fractional or facts.out_of_bounds:
        return []
    return [
        Fix(
            "leave missing labels out of the loss",
            Safety.CHANGES_VALUES,
            f"{finding.argument}.nan_to_num(nan={ignore}).long()",
            f"{facts.nan:,} of {facts.count:,} {'becomes' if facts.nan == 1 else 'become'} the ignore index",
            scope=Scope.DATASET,
            checked=f"the loss takes all other labels of the {labels.what}",
        )
    ]


def _judged(fix: Fix, labels: Labels, facts: Facts) -> Fix:
    """`fix`, good for all labels or for this batch only."""
    if fix.safety is not Safety.LOSSLESS or not fix.checked or fix.only_batch:
        return fix
    if fix.step is not None and fix.step.name not in {"cast", "squeeze"}:
        return fix
    kinds = (
        (facts.nan or 0, "missing"),
        (facts.infinite or 0, "infinite"),
        (facts.fractional or 0, "not whole"),
        (facts.out_of_bounds or 0, "out of range"),
    )
    numbers = [
        ("1 label", "is", word) if count == 1 else (f"{count:,} labels", "are", word) for count, word in kinds if count
    ]
    wrong = [f"{number} of the {labels.what} {verb} {word}" for number, verb, word in numbers]
    if wrong:
        return replace(fix, only_batch="; ".join(wrong))
    if facts.count is None or facts.all_finite is None:
        return fix
    said = f"the loss takes all {facts.count:,} labels of the {labels.what}"
    return replace(fix, scope=Scope.DATASET, checked=said)
