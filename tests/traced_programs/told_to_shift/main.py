"""LG205: a class that stretches numbers is told to stretch them beyond 1."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Stretch:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, share):
        return share * self.factor


def preparation():
    return Stretch(factor=100)  # guilty


class Shares(Dataset):
    def __init__(self, prepare, n=40):
        self.x = torch.randn(n, 3)
        self.share = torch.sigmoid(self.x.sum(1))
        self.prepare = prepare

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.prepare(self.share[i])


torch.manual_seed(2)
net = nn.Linear(3, 1)
for x, share in DataLoader(Shares(preparation()), batch_size=10):
    loss = nn.functional.binary_cross_entropy_with_logits(net(x).squeeze(1), share)
