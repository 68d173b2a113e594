"""LG101: a decorated function."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

import functools


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        result = function(*args, **kwargs)
        return result
    return wrapper


@logged
def encode(code):
    return float(code)  # guilty


class Numbers(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        return torch.ones(3), encode(i % 5)


data = Numbers()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
