"""LG101: .type(torch.FloatTensor) in the loop."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


data = TensorDataset(torch.ones(40, 3), torch.arange(40) % 5)
model = nn.Linear(3, 5)
loader = DataLoader(data, batch_size=8)
for epoch in range(2):
    for x, y in loader:
        x = x.type(torch.FloatTensor)
        y = y.type(torch.FloatTensor)  # guilty
        out = model(x)
        F.cross_entropy(out, y)
