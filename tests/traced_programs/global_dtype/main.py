"""LG101: a dtype that is a constant of the module."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

DTYPE = torch.float32


class Numbers(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        label = i % 5
        x = torch.tensor([1, 2, 3], dtype=DTYPE)
        y = torch.tensor(label, dtype=DTYPE)  # guilty
        return x, y


data = Numbers()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
