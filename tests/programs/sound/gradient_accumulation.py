"""Losses divided and summed over micro-batches, with a weight and smoothing, the last batch of size one."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5, 1.0]), label_smoothing=0.1)
for size in (8, 8, 8, 1):
    loss = criterion(model(torch.randn(size, 8)), torch.randint(4, (size,))) / 4
    loss.backward()
    print(loss.item())
