"""LG201: the kinds in a file are counted from 1, and are taken over as they are."""
import json

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

TEXT = json.dumps({"rows": [{"size": number, "kind": 1 + number % 3} for number in range(12)]})


class Kinds(Dataset):
    def __init__(self, text):
        read = json.loads(text)
        self.rows = read["rows"]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, number):
        row = self.rows[number]
        size = torch.tensor([float(row["size"])])
        kind = row["kind"]  # guilty
        return size, kind


model = nn.Linear(1, 3)
for size, kind in DataLoader(Kinds(TEXT), batch_size=4):
    nn.functional.cross_entropy(model(size), kind)
