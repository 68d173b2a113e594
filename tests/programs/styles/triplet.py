"""Triplet."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 4))
crit = nn.TripletMarginLoss(margin=0.5)
for _ in range(5):
    loss = crit(net(torch.randn(8, 5)), net(torch.randn(8, 5)), net(torch.randn(8, 5)))
    loss.backward()
    print(loss.item())
