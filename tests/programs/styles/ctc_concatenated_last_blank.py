"""Ctc concatenated last blank."""

import torch
from torch import nn

torch.manual_seed(0)
head = nn.Linear(8, 11)
crit = nn.CTCLoss(blank=10)
for _ in range(5):
    x = torch.randn(20, 3, 8)
    tl = torch.tensor([4, 2, 3])
    t = torch.randint(0, 10, (9,))
    loss = crit(head(x).log_softmax(-1), t, torch.full((3,), 20), tl)
    loss.backward()
    print(loss.item())
