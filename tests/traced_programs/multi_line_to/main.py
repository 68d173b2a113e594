"""LG101: .to(device=..., dtype=...) and a call over several lines."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


data = TensorDataset(torch.ones(40, 3), torch.arange(40) % 5)
model = nn.Linear(3, 5)
device = torch.device("cpu")
for x, y in DataLoader(data, batch_size=8):
    x = x.to(device)
    y = y.to(device=device, dtype=torch.float)  # guilty
    out = model(x)
    loss = F.cross_entropy(
        out,
        y,
    )
