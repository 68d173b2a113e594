"""LG101: one of two branches casts."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


data = TensorDataset(torch.ones(40, 3), torch.arange(40) % 5)
model = nn.Linear(3, 5)
soft = True
for x, y in DataLoader(data, batch_size=8):
    if soft:
        y = y.float()  # guilty
    else:
        y = y.long()
    F.cross_entropy(model(x), y)
