"""Ordinal coral."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 4)
for _ in range(5):
    y = torch.randint(5, (9,))
    levels = (torch.arange(4)[None] < y[:, None]).float()
    o = net(torch.randn(9, 5))
    loss = -(F.logsigmoid(o) * levels + (F.logsigmoid(o) - o) * (1 - levels)).sum(
        1
    ).mean() + F.binary_cross_entropy_with_logits(o, levels)
    loss.backward()
    print(loss.item())
