"""LG201: noise that differs from call to call."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

import random


class Noisy(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        label = i % 5
        noise = random.choice([0, 7])
        label = label + noise  # guilty
        return torch.ones(3), label


data = Noisy()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
