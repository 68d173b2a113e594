"""LG101: the label is divided in __getitem__."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Numbers(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        features = torch.ones(3) * index
        label = index % 5
        label = label / 1  # guilty
        return features, label


data = Numbers()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
