"""A softmax before CrossEntropyLoss, which has its own: it trains, slowly, and nothing is raised."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 3)
        self.act = nn.Softmax(dim=1)

    def forward(self, x):
        return self.act(self.layer(x))


model = Net()
criterion = nn.CrossEntropyLoss()
x, y = torch.randn(32, 8), torch.randint(3, (32,))
loss = criterion(model(x), y)
loss.backward()
