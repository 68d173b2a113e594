"""LG403: the sizes of a flattened image are wrong by a factor."""
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(8 * 7 * 7, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = x.view(-1, 8 * 7 * 7)
        return self.fc(x)


images, labels = torch.rand(16, 1, 28, 28), torch.randint(0, 10, (16,))
F.cross_entropy(Net()(images), labels)  # LG403
