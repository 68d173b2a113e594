"""LG303: a sigmoid at the end, and a loss that has its own."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Head(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.linear = nn.Linear(dim, 1)
        self.final = nn.Sigmoid()

    def forward(self, x):
        return self.final(self.linear(x))  # guilty


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True))
        self.head = Head(8)

    def forward(self, x):
        z = self.encoder(x)
        return self.head(z).squeeze(-1)


torch.manual_seed(0)
net = Net()
crit = nn.BCEWithLogitsLoss()
ds = TensorDataset(torch.randn(40, 4), torch.randint(0, 2, (40,)).float())
for x, y in DataLoader(ds, batch_size=20, num_workers=int(os.environ.get("WORKERS", "0"))):
    crit(net(x), y)
