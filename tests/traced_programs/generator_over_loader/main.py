"""LG101: a generator between loader and loop casts."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

def moved(loader):
    for features, labels in loader:
        yield features, labels.double()  # guilty


data = TensorDataset(torch.ones(40, 3), torch.arange(40) % 5)
model = nn.Linear(3, 5)
for number, (features, labels) in enumerate(moved(DataLoader(data, batch_size=8, num_workers=WORKERS))):
    loss = F.cross_entropy(model(features), labels)
