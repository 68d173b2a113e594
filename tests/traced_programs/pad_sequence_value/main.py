"""LG202: pad_sequence fills with -1."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

from torch.nn.utils.rnn import pad_sequence


class Words(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        return torch.arange(i % 4 + 1)


def collate(items):
    return pad_sequence(items, batch_first=True, padding_value=-1)  # guilty


for labels in DataLoader(Words(), batch_size=8, collate_fn=collate, num_workers=WORKERS):
    F.cross_entropy(torch.randn(labels.shape[0], 5, labels.shape[1]), labels)
