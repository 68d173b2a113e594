"""LG101: one of two transforms divides."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class ToInt:
    def __call__(self, label):
        return int(label)


class Scale:
    def __call__(self, label):
        return label / 1  # guilty


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, label):
        for step in self.steps:
            label = step(label)
        return label


class Numbers(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 40

    def __getitem__(self, i):
        return torch.ones(3), self.transform(i % 5)


data = Numbers(Compose([ToInt(), Scale()]))

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
