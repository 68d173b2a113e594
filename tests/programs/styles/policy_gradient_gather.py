"""Policy gradient gather."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
pi = nn.Linear(4, 3)
for _ in range(5):
    s = torch.randn(16, 4)
    logp = F.log_softmax(pi(s), -1)
    a = torch.distributions.Categorical(logits=logp).sample()
    R = torch.randn(16)
    loss = -(logp.gather(1, a[:, None]).squeeze(1) * R).mean()
    loss.backward()
    print(loss.item())
