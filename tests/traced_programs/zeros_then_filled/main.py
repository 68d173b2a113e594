"""LG101: torch.zeros is filled with integers in a loop."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

names = list("abcde") * 8
order = sorted(set(names))
labels = torch.zeros(len(names))  # guilty
for i, name in enumerate(names):
    labels[i] = order.index(name)
data = TensorDataset(torch.ones(40, 3), labels)

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
