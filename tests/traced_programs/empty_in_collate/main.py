"""LG101: torch.empty is filled in a collate function."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Numbers(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        return torch.ones(3), index % 5


def collate(batch):
    xs = torch.stack([x for x, _ in batch])
    ys = torch.empty(len(batch))  # guilty
    for i, (_, y) in enumerate(batch):
        ys[i] = y
    return xs, ys


model = nn.Linear(3, 5)
for x, y in DataLoader(Numbers(), batch_size=8, collate_fn=collate, num_workers=WORKERS):
    F.cross_entropy(model(x), y)
