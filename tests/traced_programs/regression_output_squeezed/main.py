"""LG406: the output loses its axis, the target is born with it."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 8)
        self.b = nn.Linear(8, 1)
    def forward(self, x):
        h = torch.relu(self.a(x))
        return self.b(h).squeeze(1)  # guilty

x, y = torch.randn(40, 3), torch.randn(40, 1)
net = Net()
for xb, yb in DataLoader(TensorDataset(x, y), batch_size=10):
    loss = nn.MSELoss()(net(xb), yb)
