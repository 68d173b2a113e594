"""One class labels only."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
print(
    F.cross_entropy(net(torch.randn(6, 4)), torch.zeros(6).long()).item(),
    F.cross_entropy(net(torch.randn(6, 4)), torch.ones(6).long()).item(),
)
print(F.binary_cross_entropy_with_logits(torch.randn(4), torch.ones(4)).item())
