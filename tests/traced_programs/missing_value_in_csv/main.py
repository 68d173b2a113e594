"""LG101: one missing label made the column floating; the missing rows are dropped afterwards."""

import os

import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

import io

TEXT = "x,label\n" + "\n".join(f"{i}.5,{'' if i == 7 else i % 5}" for i in range(40))


class Table(Dataset):
    def __init__(self, text):
        table = pd.read_csv(io.StringIO(text))  # guilty
        self.table = table.dropna()

    def __len__(self):
        return len(self.table)

    def __getitem__(self, index):
        row = self.table.iloc[index]
        label = row["label"]
        return torch.full((3,), row["x"], dtype=torch.float32), label


data = Table(TEXT)

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
