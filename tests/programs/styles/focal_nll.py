"""Focal nll."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 4)
for _ in range(5):
    logp = F.log_softmax(net(torch.randn(8, 5)), 1)
    loss = F.nll_loss((1 - logp.exp()) ** 2 * logp, torch.randint(4, (8,)))
    loss.backward()
    print(loss.item())
