"""What rows of several numbers for each sample look like: probabilities, one-hot labels, several labels at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from lossguard.contracts.dtypes import EPSILON
from lossguard.facts.facts import Rows


def read_rows(matrix: npt.NDArray[Any], dtype: str) -> Rows:
    """Every row of a matrix; one with NaN in it is not counted as read."""
    if not matrix.size:
        return Rows()
    values = matrix.astype(np.float64, copy=False)
    values = values[~np.isnan(values).any(1)]
    if not len(values):
        return Rows()
    low, high = values.min(1), values.max(1)
    with np.errstate(invalid="ignore", over="ignore"):
        sums = values.sum(1)
        exponentials = np.log(np.exp(values - high[:, None]).sum(1)) + high
    finite = sums[np.isfinite(sums)]
    slack = max(1e-4, 4 * EPSILON.get(dtype, 0.0))
    inside = (low >= -slack) & (high <= 1 + slack) & (np.abs(sums - 1) <= slack)
    corners = ((values == 0) | (values == 1)).all(1)
    return Rows(
        read=len(values),
        probabilities=int(inside.sum()),
        log_probabilities=int(((high <= slack) & (np.abs(exponentials) <= 10 * slack)).sum()),
        one_hot=int((corners & (sums == 1)).sum()),
        whole=int((np.floor(values) == values).all(1).sum()),
        positive=int((high > slack).sum()),
        negative=int((low < -slack).sum()),
        least_sum=float(finite.min()) if len(finite) else math.inf,
        greatest_sum=float(finite.max()) if len(finite) else -math.inf,
        empty=int(((low == 0) & (high == 0)).sum()),
    )
