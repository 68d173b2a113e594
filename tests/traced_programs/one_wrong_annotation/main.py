"""LG201: one entry of a list of labels is out of range."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

NAMES = ["cat", "dog", "fox", "owl", "ant"]
ANNOTATIONS = {f"image{i}": NAMES[i % 5] for i in range(40)}
CODES = {"cat": 0, "dog": 1, "fox": 2, "owl": 3, "ant": 44}  # guilty


class Images(Dataset):
    def __len__(self):
        return len(ANNOTATIONS)

    def __getitem__(self, index):
        name = ANNOTATIONS[f"image{index}"]
        label = CODES[name]
        return torch.ones(3), label


data = Images()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
