"""LG201: codes that count from 1 are applied by np.vectorize."""


import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


NAMES = ["ant", "bee", "cat", "dog", "eel"]
names = NAMES * 8
codes = {name: i + 1 for i, name in enumerate(NAMES)}  # guilty
labels = torch.from_numpy(np.vectorize(codes.get)(names))

data = TensorDataset(torch.ones(40, 3), labels)
model = nn.Linear(3, 5)
for x, y in DataLoader(data, batch_size=40, shuffle=True):
    F.cross_entropy(model(x), y)
