"""LG401: the scores get an axis that the target has not."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.u = nn.Embedding(10, 4)
        self.v = nn.Embedding(12, 4)
    def forward(self, a, b):
        score = (self.u(a) * self.v(b)).sum(1)
        return score.unsqueeze(1)  # guilty

a, b = torch.randint(0, 10, (40,)), torch.randint(0, 12, (40,))
y = (torch.rand(40) > 0.5).float()
net = Net()
for aa, bb, yy in DataLoader(TensorDataset(a, b, y), batch_size=8):
    loss = nn.BCEWithLogitsLoss()(net(aa, bb), yy)
