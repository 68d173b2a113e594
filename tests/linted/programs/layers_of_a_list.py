"""LG401: layers come out of a list, the last of them with one output, and labels have no column."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, inputs, widths=(8, 4)):
        super().__init__()
        layers = []
        last = inputs
        for width in widths:
            layers += [nn.Linear(last, width), nn.ReLU()]
            last = width
        layers.append(nn.Linear(last, 1))
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


def main():
    x, y = torch.randn(12, 5), torch.tensor([0.0, 1.0] * 6)
    model = Net(x.shape[1])
    nn.BCEWithLogitsLoss()(model(x), y).backward()  # LG401


if __name__ == "__main__":
    main()
