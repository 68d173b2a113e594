"""LG201: setdefault gives each new name the next code, from 1."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


NAMES = ["ant", "bee", "cat", "dog", "eel"]
names = NAMES * 8
codes = {}
for name in names:
    codes.setdefault(name, len(codes) + 1)  # guilty
labels = torch.tensor([codes[name] for name in names])

data = TensorDataset(torch.ones(40, 3), labels)
model = nn.Linear(3, 5)
for x, y in DataLoader(data, batch_size=40, shuffle=True):
    F.cross_entropy(model(x), y)
