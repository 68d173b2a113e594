"""Bce void index after none."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
crit = nn.BCEWithLogitsLoss(reduction="none")
for _ in range(5):
    y = torch.randint(0, 2, (8, 3)).float()
    y[torch.rand(8, 3) < 0.3] = -1  # -1: not labelled
    l = crit(net(torch.randn(8, 4)), y)
    loss = l[y >= 0].mean()
    loss.backward()
    print(loss.item())
