"""sound: a decorator of the project counts calls and hands the label on."""
import functools

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def counted(function):
    calls = {"n": 0}

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        calls["n"] += 1
        return function(*args, **kwargs)

    return wrapper


@counted
def label_of(i, classes=4):
    return i % classes


class Numbers(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, i):
        return torch.rand(3), label_of(i)


model = nn.Linear(3, 4)
for x, y in DataLoader(Numbers(), batch_size=8):
    nn.functional.cross_entropy(model(x), y)
