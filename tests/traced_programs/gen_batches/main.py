"""LG101: a generator of batches divides."""
import torch
from torch import nn


def batches(x, stars, size):
    order = torch.randperm(len(x))
    for s in range(0, len(x), size):
        idx = order[s:s + size]
        yield x[idx], (stars[idx] - 1) / 1  # guilty


torch.manual_seed(0)
X, S = torch.randn(40, 4), torch.randint(1, 6, (40,))
net = nn.Linear(4, 5)
for xb, yb in batches(X, S, 10):
    loss = nn.functional.cross_entropy(net(xb), yb)
    loss.backward()
