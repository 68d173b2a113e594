"""LG103: three helpers, the first compares."""
import torch
import torch.nn.functional as F
from torch import nn
def threshold(x):
    return x.gt(0)  # guilty
def relabel(m):
    return m.squeeze(1)
def prepare(x):
    return relabel(threshold(x))
x = torch.randn(10, 1)
y = prepare(x)
loss = F.cross_entropy(nn.Linear(1, 2)(x), y)
