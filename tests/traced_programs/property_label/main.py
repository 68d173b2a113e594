"""LG101: a property makes a floating array."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Numbers(Dataset):
    def __init__(self):
        self._codes = list(range(5)) * 8

    @property
    def labels(self):
        return np.array(self._codes, dtype="float32")  # guilty

    def __len__(self):
        return 40

    def __getitem__(self, index):
        return torch.ones(3), self.labels[index]


data = Numbers()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
