"""LG101: the labels are floats in a JSON text."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

import json
text = json.dumps([{"x": [1.0, 2.0, 3.0], "y": float(i % 5)} for i in range(40)])  # guilty


class Rows(Dataset):
    def __init__(self):
        self.rows = json.loads(text)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        return torch.tensor(row["x"]), row["y"]


data = Rows()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
