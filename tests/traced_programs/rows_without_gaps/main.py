"""LG403: rows with gaps are left out of the inputs alone, and the last batch of slices is too short."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

SIZE = 16


def lagged(series, lags=5):
    columns = [np.concatenate([np.full(lag, np.nan), series[: len(series) - lag]]) for lag in range(lags)]
    table = np.stack(columns, axis=1)
    table = table[~np.isnan(table).any(axis=1)]  # guilty
    return torch.from_numpy(table).float()


rng = np.random.default_rng(3)
series = rng.normal(0, 1, 90).cumsum()
inputs = lagged(series)
labels = torch.from_numpy((np.diff(series, append=0) > 0).astype(np.int64))
model = nn.Linear(5, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

for epoch in range(2):
    for first in range(0, len(labels), SIZE):
        x, y = inputs[first : first + SIZE], labels[first : first + SIZE]
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
