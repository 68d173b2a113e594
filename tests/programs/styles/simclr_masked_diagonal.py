"""Simclr masked diagonal."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
enc = nn.Linear(6, 8)
N = 8
for _ in range(6):
    x = torch.randn(N, 6)
    z = F.normalize(torch.cat([enc(x), enc(x + 0.1)]), dim=1)
    sim = z @ z.T / 0.5
    sim = sim.masked_fill(torch.eye(2 * N, dtype=torch.bool), float("-inf"))
    target = torch.cat([torch.arange(N, 2 * N), torch.arange(N)])
    loss = F.cross_entropy(sim, target)
    loss.backward()
    print(loss.item())
