"""LG201: a table is turned around."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


NAMES = ["ant", "bee", "cat", "dog", "eel"]
names = NAMES * 8
by_number = dict(enumerate(NAMES, start=1))  # guilty
codes = {name: number for number, name in by_number.items()}
labels = torch.tensor([codes[name] for name in names])

data = TensorDataset(torch.ones(40, 3), labels)
model = nn.Linear(3, 5)
for x, y in DataLoader(data, batch_size=40, shuffle=True):
    F.cross_entropy(model(x), y)
