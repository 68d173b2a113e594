"""LG206: the last activation of two networks is an argument, and one of them must give probabilities."""

import torch
from torch import nn


def layered(wide, last):
    layers = [nn.Linear(wide, 12), nn.ReLU(), nn.Linear(12, 1)]
    layers.append(last())
    return nn.Sequential(*layers)


class Painter(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = layered(4, nn.Tanh)

    def forward(self, x):
        return self.net(x)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = layered(1, nn.Tanh)

    def forward(self, x):
        return self.net(x).squeeze(1)  # guilty


torch.manual_seed(0)
painter, critic = Painter(), Critic()
nn.functional.binary_cross_entropy(critic(painter(torch.randn(16, 4))), torch.ones(16))
