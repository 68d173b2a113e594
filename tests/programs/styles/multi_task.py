"""Multi task."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
b = nn.Linear(5, 8)
cls, reg, tag = nn.Linear(8, 4), nn.Linear(8, 1), nn.Linear(8, 6)
lv = nn.Parameter(torch.zeros(3))
for _ in range(5):
    h = b(torch.randn(9, 5)).relu()
    ls = torch.stack(
        [
            F.cross_entropy(cls(h), torch.randint(4, (9,))),
            F.mse_loss(reg(h).squeeze(1), torch.randn(9)),
            F.binary_cross_entropy_with_logits(tag(h), torch.randint(2, (9, 6)).float()),
        ]
    )
    loss = (ls * (-lv).exp() + lv).sum()
    loss.backward()
    print(loss.item())
