"""Poisson softplus."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 1), nn.Softplus())
for _ in range(5):
    loss = F.poisson_nll_loss(net(torch.randn(9, 3)).squeeze(-1), torch.poisson(torch.full((9,), 2.0)), log_input=False)
    loss.backward()
    print(loss.item())
