"""Word2vec negative sampling."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
u, v = nn.Embedding(40, 8), nn.Embedding(40, 8)
for _ in range(4):
    c, o, n = torch.randint(40, (6,)), torch.randint(40, (6,)), torch.randint(40, (6, 5))
    pos = (u(c) * v(o)).sum(1)
    neg = torch.bmm(v(n), u(c)[:, :, None]).squeeze(2)
    loss = -(F.logsigmoid(pos) + F.logsigmoid(-neg).sum(1)).mean()
    loss.backward()
    print(loss.item())
