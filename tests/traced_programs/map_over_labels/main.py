"""LG101: map(float, ...) over a list."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

raw = [str(i % 5) for i in range(40)]
labels = list(map(float, raw))  # guilty
data = TensorDataset(torch.ones(40, 3), torch.tensor(labels))

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
