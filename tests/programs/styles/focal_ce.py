"""Focal ce."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


def focal(logits, y, gamma=2.0):
    ce = F.cross_entropy(logits, y, reduction="none")
    pt = torch.exp(-ce)
    return ((1 - pt) ** gamma * ce).mean()


net = nn.Linear(5, 4)
for _ in range(5):
    loss = focal(net(torch.randn(8, 5)), torch.randint(4, (8,)))
    loss.backward()
    print(loss.item())
