"""LG201: the labels count from 1."""

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
        category = index % 5
        label = category + 1  # guilty
        return torch.ones(3), label


data = Numbers()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
