"""LG201: torch.take looks the new ids up."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


NAMES = ["ant", "bee", "cat", "dog", "eel"]
names = NAMES * 8
lut = torch.arange(1, 6)  # guilty
labels = torch.take(lut, torch.arange(40) % 5)

data = TensorDataset(torch.ones(40, 3), labels)
model = nn.Linear(3, 5)
for x, y in DataLoader(data, batch_size=40, shuffle=True):
    F.cross_entropy(model(x), y)
