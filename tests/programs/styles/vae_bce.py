"""Vae bce."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class V(nn.Module):
    def __init__(s):
        super().__init__()
        s.e = nn.Linear(36, 8)
        s.d = nn.Linear(4, 36)

    def forward(s, x):
        mu, lv = s.e(x.view(-1, 36)).chunk(2, 1)
        z = mu + torch.randn_like(mu) * (lv / 2).exp()
        return torch.sigmoid(s.d(z)), mu, lv


v = V()
opt = torch.optim.Adam(v.parameters())
for _ in range(6):
    x = torch.rand(5, 1, 6, 6)
    r, mu, lv = v(x)
    bce = F.binary_cross_entropy(r, x.view(-1, 36), reduction="sum")
    loss = bce - 0.5 * (1 + lv - mu**2 - lv.exp()).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
