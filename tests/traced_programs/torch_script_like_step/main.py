"""LG101: one floating array for features and label, moved by a recursive function."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

def to_device(batch, device):
    if isinstance(batch, (list, tuple)):
        return [to_device(item, device) for item in batch]
    return batch.to(device)


class Numbers(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        values = np.array([1.0, 2.0, 3.0, i % 5], dtype=np.float32)  # guilty
        return values[:3], values[3]


model = nn.Linear(3, 5)
for batch in DataLoader(Numbers(), batch_size=8, num_workers=WORKERS):
    x, y = to_device(batch, "cpu")
    F.cross_entropy(model(x), y)
