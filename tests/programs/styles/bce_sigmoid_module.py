"""Bce sigmoid module."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
crit = nn.BCELoss()
for _ in range(4):
    loss = crit(net(torch.randn(8, 4)).squeeze(1), torch.randint(2, (8,)).float())
    loss.backward()
    print(loss.item())
