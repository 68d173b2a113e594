"""LG101: floats are appended to a list in a function."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

votes = np.random.default_rng(0).integers(0, 5, (40, 7))


def majority(rows):
    result = []
    for row in rows:
        counts = np.bincount(row, minlength=5)
        result.append(float(counts.argmax()))  # guilty
    return result


labels = majority(votes)
data = TensorDataset(torch.ones(40, 3), torch.tensor(labels))

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
