"""LG212: where gives 1 and 0."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 1)
x1, x2 = torch.randn(20, 6), torch.randn(20, 6)
r1, r2 = torch.rand(20), torch.rand(20)
better = r1 > r2
sign = torch.where(better, 1.0, 0.0)  # guilty
for _ in range(3):
    loss = nn.functional.margin_ranking_loss(net(x1).squeeze(1), net(x2).squeeze(1), sign)
    loss.backward()
