"""Detection boxes."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
h = nn.Linear(6, 4 + 5)
for _ in range(4):
    o = h(torch.randn(10, 6))
    box, cls = o[:, :4], o[:, 4:]
    lab = torch.randint(0, 5, (10,))
    lab[0] = 1
    pos = lab > 0
    loss = F.smooth_l1_loss(box[pos], torch.randn(int(pos.sum()), 4), reduction="sum") / pos.sum() + F.cross_entropy(
        cls, lab
    )
    loss.backward()
    print(loss.item())
