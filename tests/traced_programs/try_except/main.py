"""LG203: the branch of an exception gives NaN."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

WORDS = [str(i % 5) for i in range(40)]
WORDS[13] = "?"


class Words(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        try:
            label = int(WORDS[i])
        except ValueError:
            label = float("nan")  # guilty
        return torch.ones(3), label


data = Words()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
