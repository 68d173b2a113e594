"""LG101: one of two branches divides."""
import torch
import torch.nn.functional as F
from torch import nn
def encode(values, scale):
    if scale:
        out = [v / max(values) for v in values]  # guilty
    else:
        out = values
    return torch.tensor(out)
y = encode([2, 2, 2, 2], scale=True)
loss = F.cross_entropy(nn.Linear(2, 3)(torch.randn(4, 2)), y)
