"""LG407: weights are given for two of three classes."""
import torch
import torch.nn.functional as F
from torch import nn
def make_weights(**counts):
    return torch.tensor([1.0 / c for c in counts.values()])  # guilty
w = make_weights(cat=3, dog=5)
y = torch.tensor([0, 2, 1])
loss = F.cross_entropy(nn.Linear(2, 3)(torch.randn(3, 2)), y, weight=w)
