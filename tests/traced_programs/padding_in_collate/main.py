"""LG202: padding of -1 is added by the collate function."""

import os

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Words(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        return torch.arange(index % 4 + 1) % 5


def collate(samples):
    length = 4
    labels = torch.zeros(len(samples), length, dtype=torch.long)
    for row, sample in enumerate(samples):
        labels[row, : len(sample)] = sample
        labels[row, len(sample) :] = -1  # guilty
    return labels


for labels in DataLoader(Words(), batch_size=8, collate_fn=collate, num_workers=WORKERS):
    loss = F.cross_entropy(torch.randn(len(labels), 5, 4), labels)
