"""LG202: an index assignment marks with a constant."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


data = TensorDataset(torch.ones(40, 3), torch.arange(40) % 5)
model = nn.Linear(3, 5)
VOID = 255
for x, y in DataLoader(data, batch_size=8):
    y = y.clone()
    y[y == 4] = VOID  # guilty
    F.cross_entropy(model(x), y)
