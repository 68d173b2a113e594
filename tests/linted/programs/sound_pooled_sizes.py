"""sound: the view fits the map, whatever pools it."""
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 6, 5)
        self.second = nn.Conv2d(6, 16, 5)
        self.head = nn.Linear(16 * 5 * 5, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.first(x)), 2)
        x = F.max_pool2d(F.relu(self.second(x)), (2, 2), stride=2)
        x = F.adaptive_avg_pool2d(x, 5)
        return self.head(x.view(-1, 16 * 5 * 5))


def main():
    images, labels = torch.randn(64, 1, 32, 32), torch.randint(0, 10, (64,))
    F.cross_entropy(Net()(images), labels).backward()
    upwards = F.max_pool2d(torch.randn(8, 3, 5, 5), 2, ceil_mode=True)
    F.cross_entropy(upwards.reshape(-1, 3 * 3 * 3), torch.randint(0, 27, (8,)))


if __name__ == "__main__":
    main()
