"""LG101: a prefetcher is one batch ahead."""


import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Prefetcher:
    def __init__(self, loader):
        self.iterator = iter(loader)
        self.upcoming = next(self.iterator)

    def next(self):
        batch = self.upcoming
        self.upcoming = next(self.iterator)
        return batch


class Numbers(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        label = i % 5
        label = np.float64(label)  # guilty
        return torch.ones(3), label


model = nn.Linear(3, 5)
source = Prefetcher(DataLoader(Numbers(), batch_size=8))
x, y = source.next()
F.cross_entropy(model(x), y)
