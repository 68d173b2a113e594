"""Bce void after none."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Conv2d(3, 1, 3, padding=1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    x = torch.randn(2, 3, 8, 8)
    mask = (torch.rand(2, 1, 8, 8) > 0.5).float()
    mask[:, :, :2] = 255
    valid = (mask != 255).float()
    loss = F.binary_cross_entropy_with_logits(net(x), mask, reduction="none")
    loss = (loss * valid).sum() / valid.sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
