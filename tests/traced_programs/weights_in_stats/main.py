"""LG407: weights of the classes that were seen, which go through a file among other numbers."""

import pickle
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn

labels = np.array([0, 1, 2, 1, 0, 2] * 10)
values, counts = np.unique(labels, return_counts=True)  # guilty
stats = {"n": len(labels), "inverse": (counts.sum() / counts).tolist()}
path = Path(tempfile.mkdtemp()) / "stats.pkl"
with path.open("wb") as file:
    pickle.dump(stats, file)
with path.open("rb") as file:
    stats = pickle.load(file)
net = nn.Linear(6, 4)
loss_fn = nn.CrossEntropyLoss(weight=torch.tensor(stats["inverse"]))
for _ in range(3):
    loss_fn(net(torch.randn(12, 6)), torch.randint(0, 4, (12,))).backward()
