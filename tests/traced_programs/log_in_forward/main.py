"""LG207: a logarithm at the end of forward."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 8)
        self.fc2 = nn.Linear(8, 5)

    def forward(self, x):
        h = F.relu(self.fc1(x))
        h = self.fc2(h)
        return torch.log(h)  # guilty


torch.manual_seed(0)
model = Net()
data = TensorDataset(torch.randn(40, 3), torch.arange(40) % 5)
for x, y in DataLoader(data, batch_size=8):
    out = model(x)
    F.nll_loss(out, y)
