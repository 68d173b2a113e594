"""Dice plus ce."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


def dice(logits, y):
    p = logits.softmax(1)
    t = F.one_hot(y, p.shape[1]).permute(0, 3, 1, 2).float()
    inter = (p * t).sum((2, 3))
    return 1 - ((2 * inter + 1) / (p.sum((2, 3)) + t.sum((2, 3)) + 1)).mean()


net = nn.Conv2d(3, 4, 1)
for _ in range(5):
    out = net(torch.randn(2, 3, 6, 6))
    y = torch.randint(4, (2, 6, 6))
    loss = F.cross_entropy(out, y) + dice(out, y)
    loss.backward()
    print(loss.item())
