"""LG101: the labels stand in the body of the class."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Numbers(Dataset):
    labels = [0.0, 1.0, 2.0, 3.0, 4.0] * 8  # guilty

    def __len__(self):
        return 40

    def __getitem__(self, i):
        return torch.ones(3), self.labels[i]


data = Numbers()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
