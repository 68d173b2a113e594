"""Custom autograd inside."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Rev(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -g


f, d = nn.Linear(4, 5), nn.Linear(5, 1)
for _ in range(4):
    h = f(torch.randn(8, 4))
    loss = F.binary_cross_entropy_with_logits(d(Rev.apply(h)), torch.cat([torch.zeros(4, 1), torch.ones(4, 1)]))
    loss.backward()
    print(loss.item())
