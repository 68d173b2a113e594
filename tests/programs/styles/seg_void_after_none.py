"""Seg void after none."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Conv2d(3, 6, 3, padding=1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    x = torch.randn(2, 3, 8, 8)
    mask = torch.randint(6, (2, 8, 8))
    mask[:, :2] = 255
    valid = mask != 255
    loss = F.cross_entropy(net(x), mask.clamp(max=5), reduction="none")
    loss = (loss * valid).sum() / valid.sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
