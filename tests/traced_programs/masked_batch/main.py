"""LG201: the loop keeps the labels of a mask; the dataset counts from 1."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Readings(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        return torch.ones(3) * i, {"kind": i % 5 + 1, "weight": 1}  # guilty


model = nn.Linear(3, 5)
for x, more in DataLoader(Readings(), batch_size=20, num_workers=int(os.environ.get("WORKERS", "0"))):
    keep = x[:, 0] > 3
    loss = F.cross_entropy(model(x[keep]), more["kind"][keep])
