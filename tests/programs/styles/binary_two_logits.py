"""Binary two logits."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
for _ in range(4):
    y = (torch.rand(8) > 0.5).long()
    loss = nn.CrossEntropyLoss()(net(torch.randn(8, 4)), y)
    loss.backward()
    print(loss.item())
