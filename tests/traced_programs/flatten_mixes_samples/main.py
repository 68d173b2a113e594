"""LG403: view(-1, k) with the wrong k makes rows of parts of samples."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(12, 5)

    def forward(self, x):
        x = self.pool(F.relu(self.norm(self.conv(x))))
        x = F.dropout(x, 0.1, training=self.training)
        x = x.view(-1, 12)  # guilty
        return self.head(x)


data = TensorDataset(torch.rand(24, 1, 8, 8), torch.arange(24) % 5)

model = Net()
for x, y in DataLoader(data, batch_size=6):
    F.cross_entropy(model(x), y)
