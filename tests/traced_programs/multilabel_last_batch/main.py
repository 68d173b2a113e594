"""LG401: squeeze() takes the axis of a last batch of one with five labels."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3, padding=1)
        self.bn = nn.BatchNorm1d(4)
        self.head = nn.Linear(4, 5)
    def forward(self, x):
        h = self.conv(x.unsqueeze(1)).mean(-1)
        return self.head(h).squeeze()  # guilty

x = torch.randn(33, 12)
y = (torch.rand(33, 5) > 0.5).float()
net = Net()
for xb, yb in DataLoader(TensorDataset(x, y), batch_size=8):
    loss = F.binary_cross_entropy_with_logits(net(xb), yb)
