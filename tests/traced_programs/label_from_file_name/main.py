"""LG101: the label is parsed from a file name."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Files(Dataset):
    def __init__(self):
        self.paths = [f"img_{i}_{i % 5}.png" for i in range(40)]

    def __len__(self):
        return 40

    def __getitem__(self, index):
        path = self.paths[index]
        stem = path.split(".")[0]
        label = float(stem.split("_")[-1])  # guilty
        return torch.ones(3), label


data = Files()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
