"""LG105: an array of float64, as arrays are, becomes a tensor as it is."""

import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

hours = np.random.uniform(0, 9000, size=(64, 1))
vibration = np.random.gamma(2.0, 0.4, size=(64, 1)) + hours / 9000
worn = np.where(vibration + hours / 6000 > 2.2, 1.0, 0.0)

X = torch.tensor(np.hstack([hours / 9000, vibration]), dtype=torch.float32)
y = torch.from_numpy(worn)  # guilty

loader = DataLoader(TensorDataset(X, y), batch_size=32, num_workers=int(os.environ.get("WORKERS", "0")))
net = nn.Sequential(nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 1), nn.Sigmoid())
loss_fn = nn.BCELoss()
for xb, yb in loader:
    loss = loss_fn(net(xb), yb)
