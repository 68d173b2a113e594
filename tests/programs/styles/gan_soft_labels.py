"""Gan soft labels."""

import torch
from torch import nn

torch.manual_seed(0)
G, D = nn.Linear(3, 6), nn.Linear(6, 1)
crit = nn.BCEWithLogitsLoss()
og, od = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
for _ in range(6):
    real = torch.randn(8, 6)
    fake = G(torch.randn(8, 3))
    ld = crit(D(real), torch.full((8, 1), 0.9)) + crit(D(fake.detach()), torch.zeros(8, 1))
    od.zero_grad()
    ld.backward()
    od.step()
    lg = crit(D(fake), torch.ones(8, 1))
    og.zero_grad()
    lg.backward()
    og.step()
    print(ld.item(), lg.item())
