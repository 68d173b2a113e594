"""LG201: codes that count from 1 are looked up by map."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


NAMES = ["ant", "bee", "cat", "dog", "eel"]
names = NAMES * 8
codes = {name: number for number, name in enumerate(sorted(set(names)), start=1)}  # guilty
labels = torch.tensor(list(map(codes.get, names)))

data = TensorDataset(torch.ones(40, 3), labels)
model = nn.Linear(3, 5)
for x, y in DataLoader(data, batch_size=40, shuffle=True):
    F.cross_entropy(model(x), y)
