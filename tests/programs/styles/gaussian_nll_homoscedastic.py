"""Gaussian nll homoscedastic."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 2)
s = nn.Parameter(torch.zeros(()))
for _ in range(5):
    out = net(torch.randn(9, 3))
    loss = F.gaussian_nll_loss(out, torch.randn(9, 2), s.exp().expand(9, 1))
    loss.backward()
    print(loss.item())
