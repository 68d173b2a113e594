"""Lbfgs."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.LBFGS(net.parameters(), max_iter=5)
x, y = torch.randn(20, 4), torch.randn(20, 1)


def closure():
    opt.zero_grad()
    l = F.mse_loss(net(x), y)
    l.backward()
    return l


for _ in range(3):
    print(opt.step(closure).item())
