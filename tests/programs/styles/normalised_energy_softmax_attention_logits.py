"""Normalised energy softmax attention logits."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
att = nn.Linear(4, 1)
for _ in range(4):
    s = torch.randn(5, 7, 4)
    a = att(s).squeeze(-1).softmax(1)
    ctx = (a[..., None] * s).sum(1)
    loss = F.cross_entropy(ctx, torch.randint(4, (5,)))
    loss.backward()
    print(loss.item())
