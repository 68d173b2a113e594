"""LG201: one raw label is out of range; a function that cannot be read hands it on."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


NAMES = ["ant", "bee", "cat", "dog", "eel"]
names = NAMES * 8
import operator

raws = [0, 1, 2, 3, 9] * 8  # guilty
labels = torch.tensor([operator.index(raw) for raw in raws])

data = TensorDataset(torch.ones(40, 3), labels)
model = nn.Linear(3, 5)
for x, y in DataLoader(data, batch_size=40, shuffle=True):
    F.cross_entropy(model(x), y)
