"""LG403: two views of the images are stacked, the labels are not doubled."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

def contrast(x):
    return torch.cat([x, x.flip(1)], dim=0)  # guilty


class Twins:
    def __init__(self):
        self.model = nn.Linear(3, 5)

    def run(self, loader):
        for x, y in loader:
            both = contrast(x)
            logits = self.model(both)
            F.cross_entropy(logits, y)


Twins().run(DataLoader(TensorDataset(torch.rand(8, 3), torch.arange(8) % 5), batch_size=4))
