"""LG503: the output of an LSTM is a pair."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, batch_first=True)

    def forward(self, x):
        x = x - x.mean()
        return self.lstm(x)  # guilty


model = Net()
for x, y in DataLoader(TensorDataset(torch.rand(8, 2, 3), torch.arange(8) % 4), batch_size=4):
    outputs = model(x)
    F.cross_entropy(outputs, y)
