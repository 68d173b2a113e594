"""LG207: the logarithm of several columns of a polars frame, one of which has zeros."""

import numpy as np
import polars as pl
import torch
from torch import nn

torch.manual_seed(0)
rng = np.random.default_rng(0)
wells = pl.DataFrame(
    {
        "depth": rng.uniform(5, 90, 240),
        "iron": np.where(rng.random(240) < 0.2, 0.0, rng.uniform(1, 9, 240)),
        "safe": rng.integers(0, 2, 240),
    }
)
measured = ["depth", "iron"]
wells = wells.with_columns([pl.col(name).log() for name in measured])  # guilty
wells = wells.with_columns(pl.col("depth") / 5)

features = torch.tensor(wells.select(measured).to_numpy(), dtype=torch.float32)
safe = torch.tensor(wells["safe"].to_numpy(), dtype=torch.float32)
model = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 1))
for start in range(0, 240, 60):
    scores = model(features[start : start + 60]).squeeze(1)
    nn.functional.binary_cross_entropy_with_logits(scores, safe[start : start + 60]).backward()
