"""LG101: of two datasets of one class the second is at fault."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Numbers(Dataset):
    def __init__(self, labels):
        self.labels = labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return torch.ones(3), self.labels[i]


train = Numbers(np.arange(40) % 5)
valid = Numbers((np.arange(40) % 5) / 1)  # guilty
model = nn.Linear(3, 5)
for x, y in DataLoader(train, batch_size=8):
    F.cross_entropy(model(x), y)
for x, y in DataLoader(valid, batch_size=8, num_workers=WORKERS):
    F.cross_entropy(model(x), y)
