"""LG102: one of two tasks has narrow labels."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Faces(Dataset):
    def __len__(self):
        return 20

    def __getitem__(self, i):
        targets = {"age": torch.tensor(i % 5), "pose": torch.tensor(i % 3).int()}  # guilty
        return torch.rand(4), targets


class Heads(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.heads = nn.ModuleDict({name: nn.Linear(4, size) for name, size in sizes.items()})

    def forward(self, x):
        return {name: head(x) for name, head in self.heads.items()}


class MultiTask(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.losses = nn.ModuleDict({name: nn.CrossEntropyLoss() for name in names})

    def forward(self, outputs, targets):
        return sum(loss(outputs[name], targets[name]) for name, loss in self.losses.items())


model, criterion = Heads({"age": 5, "pose": 3}), MultiTask(["age", "pose"])
for x, targets in DataLoader(Faces(), batch_size=10, num_workers=WORKERS):
    outputs = model(x)
    criterion(outputs, targets).backward()
