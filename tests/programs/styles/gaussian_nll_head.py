"""Gaussian nll head."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 2)
crit = nn.GaussianNLLLoss()
for _ in range(5):
    mu, lv = net(torch.randn(9, 3)).chunk(2, 1)
    loss = crit(mu, torch.randn(9, 1), lv.exp())
    loss.backward()
    print(loss.item())
