"""Relu logits."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3), nn.Hardtanh(0, 1))
for _ in range(4):
    loss = F.cross_entropy(net(torch.randn(8, 4)), torch.randint(3, (8,)))
    loss.backward()
    print(loss.item())
