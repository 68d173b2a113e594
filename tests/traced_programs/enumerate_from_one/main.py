"""LG201: the codes of the classes count from 1."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

NAMES = ["ant", "bee", "cat", "dog", "eel"]


class Folder(Dataset):
    def __init__(self):
        self.codes = {name: i for i, name in enumerate(NAMES, 1)}  # guilty
        self.names = NAMES * 8

    def __len__(self):
        return 40

    def __getitem__(self, index):
        return torch.ones(3), self.codes[self.names[index]]


data = Folder()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
