"""Infonce."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
enc = nn.Linear(6, 8)
for _ in range(6):
    x = torch.randn(16, 6)
    a = F.normalize(enc(x + 0.1 * torch.randn_like(x)), dim=1)
    b = F.normalize(enc(x), dim=1)
    logits = a @ b.T / 0.07
    labels = torch.arange(16)
    loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
    loss.backward()
    print(loss.item())
