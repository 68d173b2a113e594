"""LG201: searchsorted gives one class more than there are edges."""

import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

EDGES = np.array([18, 30, 45, 60])


def age_group(age):
    return int(np.searchsorted(EDGES, age))  # guilty


class Faces(Dataset):
    def __init__(self, ages, transform=None, target_transform=None):
        self.ages = ages
        self.transform = transform
        self.target_transform = target_transform

    def __len__(self):
        return len(self.ages)

    def __getitem__(self, item):
        face = np.full(4, self.ages[item] / 100, dtype="float32")
        target = self.ages[item]
        if self.transform:
            face = self.transform(face)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return face, target


ages = [5, 22, 33, 47, 17, 29, 58, 71, 40, 12]
ds = Faces(ages, transform=torch.from_numpy, target_transform=age_group)
model = nn.Linear(4, len(EDGES))
for faces, groups in DataLoader(ds, batch_size=5, num_workers=int(os.environ.get("WORKERS", "0"))):
    nn.CrossEntropyLoss()(model(faces), groups)
