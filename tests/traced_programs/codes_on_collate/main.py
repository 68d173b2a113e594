"""LG201: the collate function looks the codes up with map."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

NAMES = ["ant", "bee", "cat", "dog", "eel"]


class Named(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        return torch.ones(3), NAMES[i % 5]


class Collate:
    def __init__(self, names):
        self.codes = {name: code for code, name in enumerate(names, 1)}  # guilty

    def __call__(self, samples):
        x, names = zip(*samples)
        return torch.stack(x), torch.tensor(list(map(self.codes.__getitem__, names)))


model = nn.Linear(3, 5)
for x, y in DataLoader(Named(), batch_size=40, collate_fn=Collate(NAMES), num_workers=WORKERS):
    F.cross_entropy(model(x), y)
