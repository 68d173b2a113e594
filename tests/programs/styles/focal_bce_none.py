"""Focal bce none."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


def sigmoid_focal(logits, targets, alpha=0.25, gamma=2.0):
    p = torch.sigmoid(logits)
    ce = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    p_t = p * targets + (1 - p) * (1 - targets)
    loss = ce * (1 - p_t) ** gamma
    a = alpha * targets + (1 - alpha) * (1 - targets)
    return (a * loss).sum()


net = nn.Linear(5, 4)
for _ in range(5):
    y = F.one_hot(torch.randint(5, (8,)), 5)[:, :-1].float()
    loss = sigmoid_focal(net(torch.randn(8, 5)), y) / max((y > 0).sum(), 1)
    loss.backward()
    print(loss.item())
