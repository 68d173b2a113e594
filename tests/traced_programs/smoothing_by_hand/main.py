"""LG304: labels are smoothed by hand, and the rows do not sum to 1."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

def smooth(labels, classes, amount):
    hard = F.one_hot(labels, classes).float()
    return hard * (1 - amount) + amount  # guilty


model = nn.Linear(3, 4)
for x, y in DataLoader(TensorDataset(torch.rand(8, 3), torch.arange(8) % 4), batch_size=4):
    soft = smooth(y, 4, 0.1)
    F.cross_entropy(model(x), soft)
