"""Multi label pos weight."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 6)
crit = nn.BCEWithLogitsLoss(pos_weight=torch.rand(6) * 5)
for _ in range(5):
    loss = crit(net(torch.randn(9, 5)), (torch.rand(9, 6) < 0.2).float()) + F.multilabel_soft_margin_loss(
        net(torch.randn(9, 5)), (torch.rand(9, 6) < 0.2).float()
    )
    loss.backward()
    print(loss.item())
