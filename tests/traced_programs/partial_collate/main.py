"""LG101: a partial of a collate function divides."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

from functools import partial


class Numbers(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        return torch.ones(3), index % 5


def collate(batch, scale):
    xs = torch.stack([item[0] for item in batch])
    ys = torch.tensor([item[1] for item in batch])
    ys = ys / scale  # guilty
    return xs, ys


model = nn.Linear(3, 5)
for x, y in DataLoader(Numbers(), batch_size=8, collate_fn=partial(collate, scale=1), num_workers=WORKERS):
    F.cross_entropy(model(x), y)
