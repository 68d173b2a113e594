"""LG301: a model that gives log-probabilities gets a new head without them."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Linear(3, 8)
        self.head = nn.Sequential(nn.Linear(8, classes), nn.LogSoftmax(dim=1))

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


def adapted(model, classes):
    model.head = nn.Linear(8, classes)  # guilty
    return model


def main():
    torch.manual_seed(0)
    model = adapted(Net(10), 4)
    nn.functional.nll_loss(model(torch.randn(32, 3) * 4), torch.arange(32) % 4)


main()
