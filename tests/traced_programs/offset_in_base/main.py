"""LG201: a label is shifted by an attribute of the derived class."""

import os

import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Base(Dataset):
    offset = 0

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def _label(self, i):
        return i % 2

    def __getitem__(self, i):
        y = self._label(i) + self.offset  # guilty
        return torch.tensor([float(i)]), y


class English(Base):
    pass


class German(Base):
    offset = 2


class Dutch(Base):
    offset = 5


data = ConcatDataset([English(6), German(6), Dutch(6)])
model = nn.Linear(1, 6)
for x, y in DataLoader(data, batch_size=6, num_workers=int(os.environ.get("WORKERS", "0"))):
    nn.functional.cross_entropy(model(x), y)
