"""LG304: two soft targets are added and not averaged."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Soft(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        first = torch.eye(4)[i % 4]
        second = torch.full((4,), 0.25)
        return torch.rand(3), first + second  # guilty


model = nn.Linear(3, 4)
for x, y in DataLoader(Soft(), batch_size=4, num_workers=WORKERS):
    F.cross_entropy(model(x), y)
