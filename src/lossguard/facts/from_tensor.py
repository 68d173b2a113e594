"""Facts of a torch tensor, cheaply: a sound target is read once, the rest only when something trips.

This module imports torch; nothing imports it before a tensor has been seen.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from lossguard.contracts.contract import Bounds
from lossguard.contracts.dtypes import FIRST_INEXACT, largest_of
from lossguard.facts.facts import NEAREST, REMEMBERED, Facts, Number, Offender
from lossguard.facts.torch_versions import dtypes
from lossguard.interruptions import let_through
from lossguard.records import replace

_INT64_MAX = 2**63 - 1
#: Dtypes that torch can hardly compute with, and the ones that hold all their values.
_WIDER = {**dict.fromkeys(dtypes("uint16", "uint32"), torch.int64), torch.bool: torch.uint8}
_UINT64 = dtypes("uint64")
_READABLE = frozenset(
    {
        *(torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8),
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
    }
)


def describe(tensor: torch.Tensor) -> Facts:
    """What the metadata tell: nothing is read from the device."""
    try:
        shape = _shape(tensor)
        return Facts(
            kind="tensor",
            dtype=str(tensor.dtype).removeprefix("torch."),
            shape=shape,
            device=str(tensor.device),
            storage=_storage(tensor),
            count=None if shape is None else math.prod(shape),
        )
    except Exception as error:  # noqa: BLE001 - a subclass may answer any question with any exception
        let_through(error)
        return Facts(kind="tensor")


def _shape(tensor: torch.Tensor) -> tuple[int, ...] | None:
    """The sizes of all axes; None where they are no numbers, as in a nested tensor or in a symbolic trace."""
    if tensor.is_nested:
        return None
    shape = tuple(tensor.shape)
    return shape if all(type(size) is int for size in shape) else None


def observe(tensor: torch.Tensor, bounds: Bounds | None = None, described: Facts | None = None) -> Facts:
    """Facts of the values, in relation to `bounds`; the metadata alone where values cannot be read."""
    facts = described or describe(tensor)
    facts = facts if bounds is None else replace(facts, bounds=bounds)
    if not has_values(tensor, facts):
        return facts
    try:
        with torch.no_grad():
            return _observe_values(tensor.detach(), facts)
    except (RuntimeError, NotImplementedError, TypeError):
        # A wrapper without data behind it, a backend without the operator: the metadata stand.
        return facts


def observe_exactness(tensor: torch.Tensor, facts: Facts) -> Facts:
    """`facts` with the other floating dtypes that hold every value of the tensor as it is."""
    if not tensor.is_floating_point() or not has_values(tensor, facts):
        return facts
    narrower = [torch.float16, torch.bfloat16, torch.float32]
    with torch.no_grad():
        exact = [dtype for dtype in narrower if bool((tensor.to(dtype).to(tensor.dtype) == tensor).all())]
    return replace(facts, exact_in=frozenset(str(dtype).removeprefix("torch.") for dtype in exact))


def within_lengths(labels: torch.Tensor, lengths: torch.Tensor, harmless: int) -> torch.Tensor:
    """Label sequences with what lies beyond each length, and is never read, replaced by a harmless label."""
    if labels.is_meta or labels.ndim != 2 or lengths.numel() != len(labels):
        return labels
    read = torch.arange(labels.shape[1], device=labels.device) < lengths.to(labels.device).reshape(-1, 1)
    return torch.where(read, labels, torch.tensor(harmless, dtype=labels.dtype, device=labels.device))


def needs_more_steps(labels: torch.Tensor, lengths: torch.Tensor, steps: torch.Tensor) -> tuple[Offender, ...]:
    """The label sequences that need more steps than they have: one for each label, and one between two alike."""
    lengths, steps = lengths.reshape(-1), steps.reshape(-1)
    if labels.is_meta or len(lengths) != len(steps):
        return ()
    rows = list(labels) if labels.ndim == 2 else list(labels.reshape(-1).split(lengths.tolist()))
    found = []
    for number, (row, length, given) in enumerate(zip(rows, lengths.tolist(), steps.tolist(), strict=True)):
        read = row[:length]
        if length + int((read[1:] == read[:-1]).sum()) > given:
            found.append(Offender(length, (number,)))
    return tuple(found[:REMEMBERED])


def _storage(tensor: torch.Tensor) -> str | None:
    """How the values lie in memory; None for nested tensors, of which each loss takes others."""
    if tensor.is_nested:
        return None
    if tensor.is_quantized:
        return "quantized"
    return str(tensor.layout).removeprefix("torch.")


def has_values(tensor: torch.Tensor, facts: Facts) -> bool:
    """Whether the values are there and may be read: not on meta, not fake, not inside a transform."""
    if tensor.is_meta or facts.storage != "strided" or tensor.is_complex():
        return False
    if type(tensor) is torch.Tensor or type(tensor) is torch.nn.Parameter:
        return not torch._C._functorch.is_functorch_wrapped_tensor(tensor)  # noqa: SLF001 - no public twin
    return type(tensor).__name__ != "FakeTensor"


def _observe_values(tensor: torch.Tensor, facts: Facts) -> Facts:
    if facts.count == 0:
        return replace(facts, **_NO_VALUES)
    if tensor.dtype not in _READABLE:
        tensor = _widened(tensor)
    low, high = (bound.item() for bound in torch.aminmax(tensor))
    if tensor.dtype is torch.int64 and facts.dtype == "uint64" and low < 0:
        return _observe_huge(tensor, facts)
    if tensor.is_floating_point():
        return _observe_floats(tensor, facts, low, high)
    return _observe_whole(tensor, facts, low, high)


def _widened(tensor: torch.Tensor) -> torch.Tensor:
    """The same values in a dtype that torch computes with; a uint64 keeps its bits."""
    if tensor.dtype in _UINT64:
        return tensor.view(torch.int64)
    if tensor.dtype in _WIDER:
        return tensor.to(_WIDER[tensor.dtype])
    if tensor.is_floating_point():
        return tensor.to(torch.float32)
    raise TypeError(f"values of {tensor.dtype} cannot be read")


_NO_VALUES: dict[str, Any] = {
    "smallest": math.inf,
    "largest": -math.inf,
    "nan": 0,
    "positive_infinity": 0,
    "negative_infinity": 0,
    "fractional": 0,
    "inexact": 0,
    "ignored": 0,
    "below": 0,
    "above": 0,
    "excluded": 0,
    "below_values": {},
    "above_values": {},
    "offenders": (),
}


def _observe_whole(tensor: torch.Tensor, facts: Facts, low: Number, high: Number) -> Facts:
    """Facts of integers whose extremes are known; inside the bounds that is nearly all there is to know."""
    facts = replace(facts, **{**_NO_VALUES, "smallest": low, "largest": high})
    bounds = facts.bounds
    if bounds is None:
        return replace(facts, ignored=None, below=None, above=None, excluded=None, below_values=None, above_values=None)
    # An integer has no fraction, whatever else the bounds let in: a closed end is one of them.
    bounds = replace(bounds, whole=True)
    skip = _held_by(bounds.ignore, facts.dtype)
    if skip is not None and low <= skip <= high:
        facts = replace(facts, ignored=int((tensor == skip).sum()))
    if low >= bounds.least and high < bounds.limit and bounds.excluded is None:
        return facts
    return _observe_strays(tensor, facts, bounds, skip)


def _held_by(value: int | None, dtype: str | None) -> int | None:
    """`value` if a tensor of integer `dtype` can hold it at all."""
    if value is None or dtype is None:
        return None
    largest = largest_of(dtype) or 0
    smallest = 0 if dtype.startswith(("u", "b")) else -largest - 1
    return value if smallest <= value <= largest else None


def _observe_strays(tensor: torch.Tensor, facts: Facts, bounds: Bounds, skip: int | None) -> Facts:
    """Count, list and place the values out of bounds, in a dtype that holds the bounds as well."""
    tensor = tensor.to(torch.float64 if tensor.is_floating_point() else torch.int64)
    kept = torch.ones_like(tensor, dtype=torch.bool) if skip is None else tensor != skip
    below, above = (tensor < bounds.least) & kept, (tensor >= bounds.limit) & kept
    barred = tensor == bounds.excluded if bounds.excluded is not None else None
    return replace(
        facts,
        below=int(below.sum()),
        above=int(above.sum()),
        below_values=_tally(tensor[below], largest=True),
        above_values=_tally(tensor[above], largest=False),
        excluded=0 if barred is None else int(barred.sum()),
        offenders=_first(tensor, below | above if barred is None else below | above | barred),
    )


def _tally(values: torch.Tensor, *, largest: bool) -> dict[Number, int]:
    different, counts = torch.unique(values, return_counts=True)
    chosen = slice(-NEAREST, None) if largest else slice(NEAREST)
    return dict(zip(different[chosen].tolist(), counts[chosen].tolist(), strict=True))


def _first(tensor: torch.Tensor, offending: torch.Tensor) -> tuple[Offender, ...]:
    """The first few that offend; of each sample the first, with how many there are in it."""
    shape = tuple(tensor.shape)
    if len(shape) > 1:
        within = offending.flatten(1)
        samples = within.any(1).nonzero()[:REMEMBERED, 0]
        flat, counts = within[samples].int().argmax(1) + samples * within.shape[1], within[samples].sum(1).tolist()
    else:
        flat = offending.flatten().nonzero()[:REMEMBERED, 0]
        counts = [1] * len(flat)
    return tuple(
        Offender(value, _position(number, shape), count=count)
        for value, number, count in zip(tensor.flatten()[flat].tolist(), flat.tolist(), counts, strict=True)
    )


def _position(number: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Where the element `number` stands. torch.unravel_index would first import sympy, for most of a second."""
    place: list[int] = []
    for size in reversed(shape):
        number, rest = divmod(number, size)
        place.append(rest)
    return tuple(reversed(place))


def _observe_floats(tensor: torch.Tensor, facts: Facts, low: float, high: float) -> Facts:
    """Facts of floats: extremes first; NaN shows in them and so does infinity."""
    nan = infinite = None
    finite = tensor
    if not (math.isfinite(low) and math.isfinite(high)):
        nan, infinite = tensor.isnan(), tensor.isinf()
        finite = tensor[~(nan | infinite)]
        low, high = (bound.item() for bound in torch.aminmax(finite)) if finite.numel() else (math.inf, -math.inf)
    facts = replace(
        facts,
        smallest=low,
        largest=high,
        nan=0 if nan is None else int(nan.sum()),
        positive_infinity=0 if infinite is None else int((tensor == math.inf).sum()),
        negative_infinity=0 if infinite is None else int((tensor == -math.inf).sum()),
    )
    wrong = None if nan is None or infinite is None else nan | infinite
    if facts.bounds is None:
        return facts if wrong is None else replace(facts, offenders=_first(tensor, wrong))
    if facts.bounds.whole:
        return _observe_float_labels(tensor, facts, facts.bounds, wrong)
    return _observe_reals(tensor, facts, facts.bounds, wrong)


def _observe_reals(tensor: torch.Tensor, facts: Facts, bounds: Bounds, wrong: torch.Tensor | None) -> Facts:
    """Real numbers between bounds: inside them the extremes have said it all. Infinity is outside."""
    facts = replace(facts, below=0, above=0, below_values={}, above_values={}, offenders=())
    beyond = facts.largest is not None and (
        facts.largest > bounds.limit or (facts.largest == bounds.limit and not bounds.closed)
    )
    if wrong is None and not beyond and (facts.smallest or 0) >= bounds.least:
        return facts
    below = tensor < bounds.least
    above = tensor > bounds.limit if bounds.closed else tensor >= bounds.limit
    inside = tensor[~(below | above | tensor.isnan())]
    return replace(
        facts,
        smallest_within=inside.min().item() if inside.numel() else None,
        largest_within=inside.max().item() if inside.numel() else None,
        below=int(below.sum()),
        above=int(above.sum()),
        below_values=_tally(tensor[below & tensor.isfinite()], largest=True),
        above_values=_tally(tensor[above & tensor.isfinite()], largest=False),
        offenders=_first(tensor, below | above if wrong is None else below | above | wrong),
    )


def _observe_float_labels(tensor: torch.Tensor, facts: Facts, bounds: Bounds, wrong: torch.Tensor | None) -> Facts:
    """What else is to know when floats stand for class indices: fractions, rounding, bounds."""
    tensor = tensor.to(torch.float64)
    fractional = tensor.frac() != 0 if wrong is None else (tensor.frac() != 0) & ~wrong
    held = bounds.ignore is not None and int(float(bounds.ignore)) == bounds.ignore
    skip = bounds.ignore if held else None
    facts = replace(
        facts,
        fractional=int(fractional.sum()),
        ignored=0 if skip is None else int((tensor == float(skip)).sum()),
    )
    whole = torch.where(fractional if wrong is None else fractional | wrong, float(bounds.least), tensor)
    facts = _observe_strays(whole, facts, bounds, skip)
    limit = FIRST_INEXACT.get(facts.dtype or "", math.inf)
    rounded = whole.abs() >= limit
    # What equals the ignore index may be a class that was rounded to it, if it lies where classes round.
    if skip is not None and not limit <= skip <= 2 * bounds.limit:
        rounded &= whole != float(skip)
    suspects = rounded | fractional | (whole < bounds.least) | (whole >= bounds.limit)
    if skip is not None:
        suspects &= tensor != float(skip)
    if wrong is not None:
        suspects |= wrong
    return replace(facts, bounds=bounds, inexact=int(rounded.sum()), offenders=_first(tensor, suspects))


def _observe_huge(tensor: torch.Tensor, facts: Facts) -> Facts:
    """A uint64 above int64's largest: its bits read as a negative number, its value is far above any class."""
    huge = tensor < 0
    clipped = torch.where(huge, _INT64_MAX, tensor)
    low, high = (bound.item() for bound in torch.aminmax(clipped))
    facts = _observe_whole(clipped, facts, low, high)
    offenders = tuple(
        replace(offender, value=int(tensor[offender.position].item()) % 2**64) for offender in facts.offenders or ()
    )
    above_values = {value: n for value, n in (facts.above_values or {}).items() if value != _INT64_MAX}
    largest = int(tensor[huge].max().item()) + 2**64
    return replace(facts, largest=largest, above_values=above_values, offenders=offenders)
