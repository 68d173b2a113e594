"""LG201: of the records that a table of codes is filled from, one has a number that the model does not know."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass(frozen=True)
class Crop:
    name: str
    code: int
    number: int


CROPS = [
    Crop("wheat", 11, 0),
    Crop("maize", 12, 1),
    Crop("rice", 31, 2),
    Crop("beet", 45, 4),  # guilty
]


def numbers():
    table = np.zeros(64, dtype=np.int64)
    for crop in CROPS:
        table[crop.code] = crop.number
    return table


class Fields(Dataset):
    def __init__(self):
        self.codes = np.array([11, 12, 31] * 20 + [45] * 4)
        self.table = numbers()

    def __len__(self):
        return len(self.codes)

    def __getitem__(self, place):
        return torch.ones(3), torch.tensor(self.table[self.codes[place]])


model = nn.Linear(3, 4)
for values, labels in DataLoader(Fields(), batch_size=4):
    nn.functional.cross_entropy(model(values), labels).backward()
