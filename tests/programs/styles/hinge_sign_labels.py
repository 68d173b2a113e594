"""Hinge sign labels."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 1)
for _ in range(6):
    x = torch.randn(8, 5)
    y = torch.sign(x[:, 0].round())
    loss = F.soft_margin_loss(net(x).squeeze(1), y)
    loss.backward()
    print(loss.item())
x = torch.tensor([1.0, 2.0, 0.0, 3.0])
y = torch.sign(x)
print(F.soft_margin_loss(torch.randn(4), y).item(), F.margin_ranking_loss(torch.randn(4), torch.randn(4), y).item())
