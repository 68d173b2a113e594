"""Moe balance."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
gate = nn.Linear(5, 4)
experts = nn.ModuleList(nn.Linear(5, 3) for _ in range(4))
for _ in range(5):
    x = torch.randn(16, 5)
    p = gate(x).softmax(-1)
    w, i = p.topk(2, -1)
    y = torch.stack([e(x) for e in experts], 1)
    out = (y.gather(1, i[..., None].expand(-1, -1, 3)) * w[..., None]).sum(1)
    f = F.one_hot(i[:, 0], 4).float().mean(0)
    loss = F.cross_entropy(out, torch.randint(3, (16,))) + 0.01 * 4 * (f * p.mean(0)).sum()
    loss.backward()
    print(loss.item())
