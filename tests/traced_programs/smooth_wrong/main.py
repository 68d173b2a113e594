"""LG304: smoothing adds more than it takes away."""
import torch
import torch.nn.functional as F
from torch import nn
def smooth(labels, n, eps=0.1):
    hot = F.one_hot(labels, n).float()
    return hot * (1 - eps) + eps  # guilty
labels = torch.tensor([0, 2, 1, 3])
net = nn.Linear(5, 4)
soft = smooth(labels, 4)
loss = F.cross_entropy(net(torch.randn(4, 5)), soft)
