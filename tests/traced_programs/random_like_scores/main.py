"""LG304: random numbers in the shape of the scores stand in for soft labels."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
features = torch.randn(6, 4)
out = model(features)
target = torch.rand_like(out)  # guilty
loss = F.cross_entropy(out, target)
