"""LG101: a derived __init__ changes what it passes on."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Base(Dataset):
    def __init__(self, labels):
        super().__init__()
        self.labels = labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return torch.ones(3), self.labels[i]


class Scaled(Base):
    def __init__(self, labels):
        labels = labels * 1.0  # guilty
        super().__init__(labels)


data = Scaled(np.arange(40) % 5)

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
