"""LG201: ids by take."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


NAMES = ["ant", "bee", "cat", "dog", "eel"]
names = NAMES * 8
old = torch.tensor([0, 1, 2, 3, 4] * 4)
lut = torch.arange(1, 6)  # guilty
labels = torch.take(lut, old)

data = TensorDataset(torch.ones(20, 3), labels)
model = nn.Linear(3, 5)
for x, y in DataLoader(data, batch_size=40):
    F.cross_entropy(model(x), y)
