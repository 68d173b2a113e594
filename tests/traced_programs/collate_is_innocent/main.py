"""LG101: the collate function only stacks; the dataset made the float."""

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
        label = index % 5
        label = label * 1.0  # guilty
        return torch.ones(3), label


def collate(samples):
    features, labels = zip(*samples)
    labels = torch.tensor(labels)
    return torch.stack(features), labels


model = nn.Linear(3, 5)
for features, labels in DataLoader(Numbers(), batch_size=8, collate_fn=collate, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
