"""LG202: dict.get falls back to -1."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

CODES = {"a": 0, "b": 1, "c": 2, "d": 3}


class Names(Dataset):
    names = list("abcde") * 8

    def __len__(self):
        return 40

    def __getitem__(self, i):
        label = CODES.get(self.names[i], -1)  # guilty
        return torch.ones(3), label


data = Names()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
