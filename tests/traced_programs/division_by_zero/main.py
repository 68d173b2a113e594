"""LG203: a share of nothing."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

def shares(counts):
    totals = counts.sum(axis=1, keepdims=True)
    return counts / totals  # guilty


class Votes(Dataset):
    def __init__(self):
        self.counts = np.arange(200, dtype=np.float32).reshape(40, 5)
        self.counts[11] = 0

    def __len__(self):
        return 40

    def __getitem__(self, index):
        share = shares(self.counts[index : index + 1])[0]
        return torch.ones(3), share


np.seterr(all="ignore")
data = Votes()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
