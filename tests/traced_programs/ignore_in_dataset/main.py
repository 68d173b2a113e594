"""LG208: the dataset ignores what it does not know."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Partly(Dataset):
    known = frozenset()

    def __len__(self):
        return 8

    def __getitem__(self, i):
        label = i % 4
        if label not in self.known:
            label = -100  # guilty
        return torch.rand(3), label


model = nn.Linear(3, 4)
for x, y in DataLoader(Partly(), batch_size=4, num_workers=WORKERS):
    F.cross_entropy(model(x), y)
