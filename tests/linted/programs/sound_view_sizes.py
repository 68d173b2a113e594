"""sound: convolutions, poolings and a view with the right sizes, at two sizes of images."""
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 5, stride=2)
        self.conv2 = nn.Conv2d(8, 8, kernel_size=(3, 3), padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(8 * 6 * 6, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv2(self.conv1(x))))
        return self.fc(x.view(-1, 8 * 6 * 6))


F.cross_entropy(Net()(torch.rand(16, 1, 28, 28)), torch.randint(0, 10, (16,)))
up = nn.ConvTranspose2d(3, 4, 2, stride=2)
F.cross_entropy(up(torch.rand(2, 3, 8, 8)), torch.randint(0, 4, (2, 16, 16)))
