"""LG205: rates are scaled to percent."""
import torch
import torch.nn.functional as F
from torch import nn
SCALE = 100.0
def normalise(clicks, shown):
    return clicks / shown * SCALE  # guilty
clicks, shown = torch.tensor([5., 1., 3.]), torch.tensor([10., 10., 10.])
y = normalise(clicks, shown)
out = torch.sigmoid(nn.Linear(2, 1)(torch.randn(3, 2))).squeeze(1)
loss = F.binary_cross_entropy(out, y)
