"""LG101: a cached property."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

from functools import cached_property


class Numbers(Dataset):
    @cached_property
    def labels(self):
        codes = [i % 5 for i in range(40)]
        return torch.tensor(codes).double()  # guilty

    def __len__(self):
        return 40

    def __getitem__(self, i):
        return torch.ones(3), self.labels[i]


data = Numbers()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
