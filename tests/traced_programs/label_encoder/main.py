"""LG201: an encoder of labels gives the first class the code 1."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class LabelEncoder:
    def __init__(self):
        self.codes = {}

    def fit(self, names):
        for name in names:
            if name not in self.codes:
                self.codes[name] = len(self.codes) + 1  # guilty
        return self

    def transform(self, names):
        return [self.codes[name] for name in names]


names = ["oak", "elm", "fir", "yew"] * 10
encoder = LabelEncoder().fit(names)
labels = torch.tensor(encoder.transform(names))
model = nn.Linear(2, len(encoder.codes))
for x, y in DataLoader(TensorDataset(torch.rand(40, 2), labels), batch_size=20, shuffle=True, num_workers=WORKERS):
    F.cross_entropy(model(x), y)
