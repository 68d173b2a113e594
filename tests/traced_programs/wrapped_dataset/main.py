"""LG101: the wrapper is innocent, the dataset below is not."""

import os

import numpy as np
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Base(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        label = np.mean([index % 5])  # guilty
        return np.ones(3, dtype=np.float32), label


class Shifted(Dataset):
    def __init__(self, base):
        self.base = base

    def __len__(self):
        return len(self.base)

    def __getitem__(self, index):
        features, label = self.base[index]
        return features + 1, label


data = Shifted(Base())

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
