"""LG101: the array of labels is made floating in __init__."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Numbers(Dataset):
    def __init__(self, labels):
        self.features = torch.ones(len(labels), 3)
        self.labels = np.array(labels, dtype=np.float32)  # guilty

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.features[index], self.labels[index]


data = Numbers([i % 5 for i in range(40)])

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
