"""Poisson counts."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
crit = nn.PoissonNLLLoss(log_input=True, full=True)
for _ in range(5):
    y = torch.poisson(torch.full((9, 1), 3.0))
    loss = crit(net(torch.randn(9, 3)), y)
    loss.backward()
    print(loss.item())
