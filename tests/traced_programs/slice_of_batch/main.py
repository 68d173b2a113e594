"""LG101: the loop takes a part of the labels by a slice; the dataset made them floating."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Readings(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        return torch.ones(3), (i % 5) / 1  # guilty


model = nn.Linear(3, 5)
for batch in DataLoader(Readings(), batch_size=20, num_workers=int(os.environ.get("WORKERS", "0"))):
    x, y = batch[0][:16], batch[1][:16]
    loss = F.cross_entropy(model(x), y)
