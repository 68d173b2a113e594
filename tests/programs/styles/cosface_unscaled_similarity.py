"""Cosface unscaled similarity."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
W = nn.Parameter(torch.randn(6, 8))
enc = nn.Linear(5, 8)
for _ in range(5):
    y = torch.randint(6, (9,))
    cos = F.normalize(enc(torch.randn(9, 5))) @ F.normalize(W).T
    loss = F.cross_entropy(cos - 0.2 * F.one_hot(y, 6), y)
    loss.backward()
    print(loss.item())
