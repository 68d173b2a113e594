"""LG403: the view takes the map for smaller than it is, and makes rows of it."""
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 6, 5)
        self.second = nn.Conv2d(6, 16, 5)
        self.head = nn.Linear(16 * 4 * 4, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.first(x)), 2)
        x = F.avg_pool2d(F.relu(self.second(x)), kernel_size=2)
        return self.head(x.view(-1, 16 * 4 * 4))


def main():
    images, labels = torch.randn(64, 1, 32, 32), torch.randint(0, 10, (64,))
    F.cross_entropy(Net()(images), labels).backward()  # LG403


if __name__ == "__main__":
    main()
