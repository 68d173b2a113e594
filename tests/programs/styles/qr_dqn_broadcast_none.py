"""Qr dqn broadcast none."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
q = nn.Linear(4, 5)
for _ in range(4):
    p, t = q(torch.randn(8, 4)), torch.randn(8, 5)
    u = F.smooth_l1_loss(p[:, :, None].expand(8, 5, 5), t[:, None, :].expand(8, 5, 5), reduction="none")
    loss = u.mean()
    loss.backward()
    print(loss.item())
