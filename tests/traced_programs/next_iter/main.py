"""LG101: one batch by next(iter(loader))."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


data = TensorDataset(torch.ones(40, 3), torch.arange(40) % 5)
model = nn.Linear(3, 5)
x, y = next(iter(DataLoader(data, batch_size=8)))
target = y * 1.0  # guilty
F.cross_entropy(model(x), target)
