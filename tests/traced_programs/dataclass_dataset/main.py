"""LG101: a dataclass is given floating labels."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

from dataclasses import dataclass


@dataclass
class Numbers(Dataset):
    features: torch.Tensor
    labels: torch.Tensor

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.features[index], self.labels[index]


codes = torch.arange(40) % 5
data = Numbers(torch.ones(40, 3), codes.float())  # guilty

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
