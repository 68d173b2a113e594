"""Yolo objectness obj ignored."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
h = nn.Conv2d(3, 1, 1)
for _ in range(4):
    t = (torch.rand(2, 1, 5, 5) < 0.1).float()
    w = torch.where(t > 0, 5.0, 0.5)
    loss = F.binary_cross_entropy_with_logits(h(torch.randn(2, 3, 5, 5)), t, weight=w)
    loss.backward()
    print(loss.item())
