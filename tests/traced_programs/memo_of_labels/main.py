"""LG101: a decorator that remembers in a dict of its own."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def memo(function):
    store = {}

    def inner(*args):
        try:
            return store[args]
        except KeyError:
            store[args] = function(*args)
            return store[args]

    return inner


@memo
def label_of(i):
    return float(i % 3)  # guilty


class Numbers(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        return torch.full((3,), i / 40), label_of(i)


model = nn.Linear(3, 3)
for x, y in DataLoader(Numbers(), batch_size=8, num_workers=int(os.environ.get("WORKERS", "0"))):
    nn.functional.cross_entropy(model(x), y)
