"""Pure bfloat16."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3).bfloat16()
for _ in range(4):
    loss = F.cross_entropy(net(torch.randn(8, 4).bfloat16()), torch.randint(3, (8,)))
    loss.backward()
    print(loss.item())
