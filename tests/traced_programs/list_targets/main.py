"""LG502: labels stay a list."""
import torch
from torch import nn
net = nn.Linear(3, 2)
rows = [([0.1, 0.2, 0.3], 1), ([0.5, 0.1, 0.9], 0)]
xs, ys = [], []  # guilty
for feats, label in rows:
    xs.append(torch.tensor(feats))
    ys.append(label)
loss = nn.functional.cross_entropy(net(torch.stack(xs)), ys)
