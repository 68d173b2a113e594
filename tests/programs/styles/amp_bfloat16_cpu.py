"""Amp bfloat16 cpu."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
b = nn.Linear(4, 1)
for _ in range(4):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        x = torch.randn(8, 4)
        loss = (
            F.cross_entropy(net(x), torch.randint(3, (8,)))
            + F.binary_cross_entropy_with_logits(b(x).squeeze(1), torch.randint(2, (8,)).float())
            + F.mse_loss(b(x), torch.randn(8, 1))
            + F.nll_loss(F.log_softmax(net(x), 1), torch.randint(3, (8,)))
        )
    loss.backward()
    print(loss.item())
