"""LG202: torch.where marks with 255."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


data = TensorDataset(torch.ones(40, 3), torch.arange(40) % 5)
model = nn.Linear(3, 5)
for x, y in DataLoader(data, batch_size=8):
    y = torch.where(y == 3, 255, y)  # guilty
    F.cross_entropy(model(x), y)
