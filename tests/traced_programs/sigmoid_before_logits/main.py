"""LG303: a softmax layer is applied in forward."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 5)
        self.act = nn.Softmax(dim=1)

    def forward(self, x):
        x = self.fc(x)
        x = self.act(x)  # guilty
        return x


model = Net()
criterion = nn.CrossEntropyLoss()
data = TensorDataset(torch.randn(40, 3), torch.arange(40) % 5)
for x, y in DataLoader(data, batch_size=8):
    pred = model(x)
    loss = criterion(pred, y)
