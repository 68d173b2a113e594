"""LG101: a method of the dataset makes the label a numpy float."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Numbers(Dataset):
    def __init__(self):
        self.labels = np.arange(40) % 5

    def __len__(self):
        return 40

    def encode(self, label):
        return np.float32(label)  # guilty

    def __getitem__(self, index):
        return torch.ones(3), self.encode(self.labels[index])


data = Numbers()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
