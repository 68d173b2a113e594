"""LG101: a lambda given as target transform."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Numbers(Dataset):
    def __init__(self, target_transform):
        self.target_transform = target_transform

    def __len__(self):
        return 40

    def __getitem__(self, index):
        label = index % 5
        label = self.target_transform(label)
        return torch.ones(3), label


data = Numbers(lambda label: label / 1)  # guilty

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
