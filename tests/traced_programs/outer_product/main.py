"""LG403: a view mixes pixels into the batch."""
import torch
import torch.nn.functional as F
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(36, 3)
    def forward(self, x):
        x = F.relu(self.conv(x))
        x = x.view(-1, 36)  # guilty
        return self.fc(x)
net = Net()
x, y = torch.randn(8, 1, 8, 8), torch.randint(0, 3, (8,))
loss = F.cross_entropy(net(x), y)
