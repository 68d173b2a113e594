"""LG204: a mask is divided in place."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Masks(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        mask = torch.full((4,), float(i % 5))
        mask = mask.clone()
        mask /= 2  # guilty
        return torch.ones(5, 4), mask


for x, y in DataLoader(Masks(), batch_size=40, num_workers=WORKERS):
    F.cross_entropy(x, y)
