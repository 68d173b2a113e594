"""sound: which layers are in the list depends on a setting, and a list that grows in a loop is of any length."""
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, as_probabilities):
        super().__init__()
        self.layers = []
        self.layers.append(nn.Linear(5, 4))
        layers = [nn.ReLU()]
        layers.extend([nn.Linear(4, 1)])
        if as_probabilities:
            layers.append(nn.Sigmoid())
        self.net = nn.Sequential(*self.layers, *layers)

    def forward(self, x):
        return self.net(x)


def main():
    x, y = torch.randn(12, 5), torch.tensor([[0.0], [1.0]] * 6)
    nn.BCEWithLogitsLoss()(Net(as_probabilities=len(sys.argv) > 1000)(x), y).backward()
    found = []
    for _ in range(4):
        found.append(torch.randn(5))
    nn.CrossEntropyLoss()(torch.stack(found), torch.tensor([0, 1, 2, 4]))


if __name__ == "__main__":
    main()
