"""Ppo entropy."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
v = nn.Linear(4, 1)
for _ in range(5):
    s = torch.randn(16, 4)
    d = torch.distributions.Categorical(logits=net(s))
    a = d.sample()
    old = d.log_prob(a).detach() - 0.1 * torch.randn(16)
    adv = torch.randn(16)
    ret = torch.randn(16)
    r = (d.log_prob(a) - old).exp()
    loss = (
        -torch.min(r * adv, r.clamp(0.8, 1.2) * adv).mean()
        + 0.5 * F.mse_loss(v(s).squeeze(-1), ret)
        - 0.01 * d.entropy().mean()
    )
    loss.backward()
    print(loss.item())
