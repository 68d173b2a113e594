"""Class weights unbalanced."""

import torch
from torch import nn

torch.manual_seed(0)
y = torch.tensor([0] * 30 + [1] * 5 + [2])
w = 1 / torch.bincount(y).float()
crit = nn.CrossEntropyLoss(weight=w / w.sum())
net = nn.Linear(4, 3)
for _ in range(5):
    i = torch.randint(36, (8,))
    loss = crit(net(torch.randn(8, 4)), y[i])
    loss.backward()
    print(loss.item())
