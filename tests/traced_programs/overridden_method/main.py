"""LG101: a derived class overrides the method that gives the label."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Base(Dataset):
    def __len__(self):
        return 40

    def label(self, index):
        return index % 5

    def __getitem__(self, index):
        return torch.ones(3), self.label(index)


class Child(Base):
    def label(self, index):
        value = super().label(index)
        return value ** 1.0  # guilty


data = Child()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
