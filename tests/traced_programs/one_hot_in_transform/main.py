"""LG402: one-hot rows are made by a lambda given as target transform."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from data import build_loader

loader = build_loader(batch_size=8, workers=int(os.environ.get("WORKERS", "0")))
model = nn.Sequential(nn.Linear(4, 10), nn.LogSoftmax(dim=1))
criterion = nn.NLLLoss()
for epoch in range(1):
    for x, y in loader:
        loss = criterion(model(x), y)
