"""Dqn."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
q, target = nn.Linear(4, 2), nn.Linear(4, 2)
for _ in range(5):
    s, s2, a, r, done = (
        torch.randn(16, 4),
        torch.randn(16, 4),
        torch.randint(2, (16, 1)),
        torch.randn(16),
        torch.randint(2, (16,)).float(),
    )
    qsa = q(s).gather(1, a)
    nxt = target(s2).max(1)[0].detach()
    y = r + 0.99 * nxt * (1 - done)
    loss = F.smooth_l1_loss(qsa, y.unsqueeze(1))
    loss.backward()
    print(loss.item())
