"""Huber quantile."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
taus = torch.tensor([0.1, 0.5, 0.9])
for _ in range(4):
    p = net(torch.randn(8, 4))
    y = torch.randn(8, 1)
    e = y - p
    loss = torch.max(taus * e, (taus - 1) * e).mean() + F.huber_loss(p[:, 1:2], y)
    loss.backward()
    print(loss.item())
