"""LG201: a good table, to which one bad entry is added."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


NAMES = ["ant", "bee", "cat", "dog", "eel"]
names = NAMES * 8
codes = {name: i for i, name in enumerate(NAMES)}
codes["eel"] = 9  # guilty
labels = torch.tensor([codes[name] for name in names])

data = TensorDataset(torch.ones(40, 3), labels)
model = nn.Linear(3, 5)
for x, y in DataLoader(data, batch_size=40, shuffle=True):
    F.cross_entropy(model(x), y)
