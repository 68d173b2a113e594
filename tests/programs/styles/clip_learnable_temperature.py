"""Clip learnable temperature."""

import math

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
img, txt = nn.Linear(6, 8), nn.Linear(5, 8)
scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))
for _ in range(5):
    i = F.normalize(img(torch.randn(9, 6)), dim=-1)
    t = F.normalize(txt(torch.randn(9, 5)), dim=-1)
    l = scale.exp() * i @ t.t()
    y = torch.arange(9)
    loss = (F.cross_entropy(l, y) + F.cross_entropy(l.t(), y)) / 2
    loss.backward()
    print(loss.item())
