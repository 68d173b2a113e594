"""Arcface."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
W = nn.Parameter(torch.randn(6, 8))
enc = nn.Linear(5, 8)
for _ in range(5):
    y = torch.randint(6, (9,))
    cos = F.linear(F.normalize(enc(torch.randn(9, 5))), F.normalize(W)).clamp(-1 + 1e-7, 1 - 1e-7)
    th = cos.acos()
    oh = F.one_hot(y, 6).bool()
    logits = torch.where(oh, (th + 0.5).cos(), cos) * 30
    loss = F.cross_entropy(logits, y)
    loss.backward()
    print(loss.item())
