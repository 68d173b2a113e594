"""Validation confident model."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
net.weight.data *= 40
net.eval()
with torch.no_grad():
    for _ in range(4):
        x = torch.randn(8, 4)
        out = net(x)
        print(F.cross_entropy(out, out.argmax(1)).item(), F.nll_loss(out.log_softmax(1), out.argmax(1)).item())
