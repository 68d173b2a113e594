"""Reinforce nll weighted."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
pi = nn.Sequential(nn.Linear(4, 3), nn.LogSoftmax(-1))
for _ in range(5):
    logp = pi(torch.randn(16, 4))
    a = torch.randint(3, (16,))
    adv = torch.randn(16)
    loss = (F.nll_loss(logp, a, reduction="none") * adv).mean()
    loss.backward()
    print(loss.item())
