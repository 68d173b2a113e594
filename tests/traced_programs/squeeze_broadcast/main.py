"""LG406: the target of a regression is a column, the output is not."""

import os

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def get_data(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)).astype(np.float32)
    y = (X @ rng.normal(size=5)).astype(np.float32)
    return X, y.reshape(-1, 1)


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, x):
        return self.net(x).squeeze()  # guilty


X, y = get_data()
loader = DataLoader(TensorDataset(torch.from_numpy(X), torch.from_numpy(y)), batch_size=10, num_workers=int(os.environ.get("WORKERS", "0")))
model = Regressor()
criterion = nn.MSELoss()
for xb, yb in loader:
    pred = model(xb)
    loss = criterion(pred, yb)
