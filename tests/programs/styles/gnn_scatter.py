"""Gnn scatter."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
edge = torch.randint(10, (2, 30))
lin = nn.Linear(4, 3)
mask = torch.rand(10) < 0.5
mask[0] = True
y = torch.randint(3, (10,))
for _ in range(4):
    x = torch.randn(10, 4)
    agg = torch.zeros(10, 4).index_add(0, edge[1], x[edge[0]])
    deg = torch.zeros(10).scatter_add(0, edge[1], torch.ones(30)).clamp(min=1)
    out = lin(agg / deg[:, None]).log_softmax(1)
    loss = F.nll_loss(out[mask], y[mask])
    loss.backward()
    print(loss.item())
