"""Wgan hinge."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
G, D = nn.Linear(3, 6), nn.Linear(6, 1)
for _ in range(5):
    real = torch.randn(8, 6)
    fake = G(torch.randn(8, 3))
    ld = F.relu(1 - D(real)).mean() + F.relu(1 + D(fake.detach())).mean()
    lg = -D(fake).mean()
    (ld + lg).backward()
    print(ld.item(), lg.item())
