"""LG201: good codes, shifted after the lookup."""


import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


NAMES = ["ant", "bee", "cat", "dog", "eel"]
names = NAMES * 8
codes = {name: i for i, name in enumerate(NAMES)}
found = np.vectorize(codes.get)(names)
labels = torch.from_numpy(found + 1)  # guilty

data = TensorDataset(torch.ones(40, 3), labels)
model = nn.Linear(3, 5)
for x, y in DataLoader(data, batch_size=40, shuffle=True):
    F.cross_entropy(model(x), y)
