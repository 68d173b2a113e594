"""Ctc speech."""

import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.GRU(8, 16, bidirectional=True)
head = nn.Linear(32, 12)
crit = nn.CTCLoss(blank=0, zero_infinity=True)
for _ in range(5):
    x = torch.randn(30, 4, 8)
    il = torch.tensor([30, 28, 25, 20])
    tl = torch.tensor([5, 4, 6, 3])
    t = torch.randint(1, 12, (4, 6))
    t[torch.arange(6)[None] >= tl[:, None]] = 0
    out, _h = rnn(x)
    loss = crit(head(out).log_softmax(2), t, il, tl)
    loss.backward()
    print(loss.item())
