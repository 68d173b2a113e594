"""Distill log target."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
s, t = nn.Linear(5, 7), nn.Linear(5, 7)
T = 4.0
for _ in range(5):
    x = torch.randn(8, 5)
    y = torch.randint(7, (8,))
    so = s(x)
    with torch.no_grad():
        to = t(x)
    kd = F.kl_div(F.log_softmax(so / T, 1), F.log_softmax(to / T, 1), reduction="batchmean", log_target=True) * T * T
    loss = 0.5 * kd + 0.5 * F.cross_entropy(so, y)
    loss.backward()
    print(loss.item())
