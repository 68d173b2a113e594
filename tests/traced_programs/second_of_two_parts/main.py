"""LG201: one of two concatenated datasets has more classes."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Part(Dataset):
    def __init__(self, labels):
        self.labels = labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return torch.ones(3), self.labels[index]


first = Part([i % 5 for i in range(20)])
second = Part([i % 7 for i in range(20)])  # guilty
data = ConcatDataset([first, second])

torch.manual_seed(0)
model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
