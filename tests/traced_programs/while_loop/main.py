"""LG203: infinity is written out in a loop."""
import math
import torch
import torch.nn.functional as F
from torch import nn
def decay(n):
    out, t = [], 0
    while len(out) < n:
        out.append(math.inf if t == 5 else 1.0 / (t + 1))  # guilty
        t += 1
    return out
y = torch.tensor(decay(10))
loss = F.mse_loss(nn.Linear(1, 1)(torch.ones(10, 1)).squeeze(1), y)
