"""Checkpointing."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
net = nn.Linear(4, 3)


def block(x, y):
    return F.cross_entropy(net(x), y)


for _ in range(3):
    loss = checkpoint(block, torch.randn(8, 4), torch.randint(3, (8,)), use_reentrant=False)
    loss.backward()
    print(loss.item())
