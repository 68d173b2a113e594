"""What rows of several numbers for each sample look like: probabilities, one-hot labels, several labels at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lossguard.facts.facts import Facts, Rows


def read_rows(matrix: npt.NDArray[Any], dtype: str) -> Rows | None:
    """Every row of a matrix, as facts of a tensor tell them; None where there is no torch to ask."""
    try:
        import torch

        from lossguard.facts import from_rows
    except ModuleNotFoundError:
        return None
    facts = Facts(kind="tensor", dtype=dtype, shape=matrix.shape, storage="strided")
    tensor = torch.from_numpy(np.require(matrix, requirements=["C", "W"]))
    return from_rows.observe_rows(tensor, facts, (1,), every=True).rows or Rows()
