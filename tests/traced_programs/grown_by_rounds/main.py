"""LG101: every round joins labels to those there are, and those of the second are floats."""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def asked(oracle, picked):
    answers = np.empty(len(picked))  # guilty
    for place, number in enumerate(picked):
        answers[place] = oracle[number]
    return torch.from_numpy(answers)


torch.manual_seed(0)
points, oracle = torch.randn(90, 4), torch.randint(0, 3, (90,))
known, labels = torch.arange(30), oracle[:30]
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for turn in range(3):
    for rows in torch.randperm(len(known)).split(10):
        loss = F.cross_entropy(net(points[known[rows]]), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    fresh = torch.arange(30 + 20 * turn, 50 + 20 * turn)
    known = torch.cat([known, fresh])
    labels = torch.cat([labels, asked(oracle, fresh)])
