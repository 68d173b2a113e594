"""What the rows of a tensor look like: probabilities, log-probabilities, one-hot labels, or none of them.

This module imports torch; nothing imports it before a tensor has been seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from lossguard.contracts.dtypes import EPSILON
from lossguard.facts.facts import Facts, Rows
from lossguard.facts.from_tensor import has_values
from lossguard.records import replace

#: No more rows than this are read to see what an input means.
_ROWS_READ = 1024
#: Nor more values, as long as some rows are left: a vocabulary makes rows long.
_VALUES_READ = 2**17


def observe_rows(tensor: torch.Tensor, facts: Facts, axes: tuple[int, ...], *, every: bool = False) -> Facts:
    """`facts` with what the rows along the first of `axes` look like: a sample of them, or `every` one.

    With `every`, the second axis is the last one and its rows are read too.
    """
    rows = [_rows_along(tensor, facts, axis, every=every) for axis in axes[: 2 if every else 1]]
    return replace(facts, rows=rows[0], last_rows=rows[1] if len(rows) > 1 else None)


def _rows_along(tensor: torch.Tensor, facts: Facts, axis: int, *, every: bool) -> Rows | None:
    if not has_values(tensor, facts) or not -tensor.ndim <= axis < tensor.ndim or 0 in tensor.shape:
        return None
    most = math.inf if every else max(16, min(_ROWS_READ, _VALUES_READ // tensor.shape[axis]))
    try:
        with torch.no_grad():
            return _read_rows(_some_rows(tensor.detach(), axis, most), facts.dtype or "")
    except (RuntimeError, NotImplementedError, TypeError):
        return None


def _some_rows(tensor: torch.Tensor, axis: int, most: float) -> torch.Tensor:
    """About `most` rows along `axis`, spread evenly, as a matrix of floats."""
    moved = tensor.movedim(axis, -1)
    for dimension in range(moved.ndim - 1):
        rows = math.prod(moved.shape[:-1])
        if rows <= most:
            break
        step = min(moved.shape[dimension], max(1, math.ceil(rows / most)))
        moved = moved[(slice(None),) * dimension + (slice(None, None, step),)]
    wide = torch.float64 if tensor.dtype is torch.float64 else torch.float32
    return moved.reshape(-1, moved.shape[-1]).to(wide)


def _read_rows(rows: torch.Tensor, dtype: str) -> Rows:
    """Tell rows of probabilities, of log-probabilities and of one-hot labels from other rows.

    The extremes of a row come first: what they rule out is not looked for.
    """
    low, high = rows.aminmax(dim=1)
    sums = rows.sum(1)
    least, greatest = (bound.item() for bound in sums.aminmax())
    if not (math.isfinite(least) and math.isfinite(greatest)):
        missing = low.isnan()
        if bool(missing.any()):
            rows, low, high, sums = rows[~missing], low[~missing], high[~missing], sums[~missing]
        finite = sums[sums.isfinite()]
        least = finite.min().item() if len(finite) else math.inf
        greatest = finite.max().item() if len(finite) else -math.inf
    read = rows.shape[0]
    if not read:
        return Rows()
    slack = max(1e-4, 4 * EPSILON.get(dtype, 0.0))
    inside = (low >= -slack) & (high <= 1 + slack) & ((sums - 1).abs_() <= slack)
    above, begins_whole = high > slack, rows.select(1, 0).frac() == 0
    probabilities, positive, negative, maybe_whole = (
        torch.stack([inside, above, low < -slack, begins_whole]).sum(1).tolist()
    )
    return Rows(
        read=read,
        probabilities=probabilities,
        log_probabilities=_count(rows[~above], lambda found: found.logsumexp(1).abs() <= 10 * slack)
        if positive < read
        else 0,
        one_hot=_count(
            rows[inside & (high == 1) & (low >= 0) & (sums == 1)], lambda found: ((found == 0) | (found == 1)).all(1)
        )
        if probabilities
        else 0,
        whole=_count(rows[begins_whole], lambda found: (found.frac() == 0).all(1)) if maybe_whole else 0,
        positive=positive,
        negative=negative,
        empty=int(((low == 0) & (high == 0)).sum()) if positive < read else 0,
        rounded_probabilities=read if probabilities == read else _count_rounded(rows, low, high, sums, slack),
        single=0 if probabilities == read else int(((low >= 0) & (high > 0) & ((rows != 0).sum(1) == 1)).sum()),
        least_sum=least,
        greatest_sum=greatest,
    )


def _count_rounded(rows: torch.Tensor, low: torch.Tensor, high: torch.Tensor, sums: torch.Tensor, slack: float) -> int:
    """How many rows are probabilities, up to what half precision may have rounded off before a cast or a mixture."""
    halves = [dtype for dtype in (torch.float16, torch.bfloat16) if bool((rows.to(dtype).to(rows.dtype) == rows).all())]
    held = [4 * EPSILON[str(dtype).removeprefix("torch.")] for dtype in halves]
    # A sum of rounded values, however weighted since, is off by half a gap of the coarsest dtype at most.
    slack = max(slack, EPSILON["bfloat16"] / 2, *held)
    return int(((low >= -slack) & (high <= 1 + slack) & ((sums - 1).abs() <= slack)).sum())


def _count(rows: torch.Tensor, test: Callable[[torch.Tensor], torch.Tensor]) -> int:
    return int(test(rows).sum()) if len(rows) else 0
