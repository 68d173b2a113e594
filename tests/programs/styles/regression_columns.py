"""Regression columns."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
crit = nn.MSELoss()
for _ in range(5):
    loss = crit(net(torch.randn(9, 3)), torch.randn(9, 1))
    loss.backward()
    print(loss.item())
