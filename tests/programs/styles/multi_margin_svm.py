"""Multi margin svm."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
crit = nn.MultiMarginLoss()
for _ in range(4):
    loss = crit(net(torch.randn(8, 4)), torch.randint(3, (8,)))
    loss.backward()
    print(loss.item())
y = torch.tensor([[0, 2, -1, -1]])
print(F.multilabel_margin_loss(torch.randn(1, 4), y).item())
