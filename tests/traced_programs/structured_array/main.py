"""LG101: a record array holds the label as a float."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

RECORD = np.dtype([("pixels", "f4", (4,)), ("label", "f4")])


def synthetic(count):
    records = np.zeros(count, dtype=RECORD)  # guilty
    records["pixels"] = np.arange(4)
    records["label"] = np.arange(count) % 3
    return records


class Records(Dataset):
    def __init__(self, records):
        self.records = records

    def __len__(self):
        return len(self.records)

    def __getitem__(self, i):
        record = self.records[i]
        return record["pixels"].copy(), record["label"]


model = nn.Linear(4, 3)
loader = DataLoader(Records(synthetic(12)), batch_size=4, num_workers=WORKERS)
for pixels, label in loader:
    F.cross_entropy(model(pixels), label)
