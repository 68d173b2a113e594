"""LG101: a named tuple holds a sum with 0.0."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

from typing import NamedTuple


class Sample(NamedTuple):
    image: torch.Tensor
    label: float


class Numbers(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        code = index % 5
        return Sample(torch.ones(3), code + 0.0)  # guilty


model = nn.Linear(3, 5)
for batch in DataLoader(Numbers(), batch_size=8, num_workers=WORKERS):
    F.cross_entropy(model(batch.image), batch.label)
