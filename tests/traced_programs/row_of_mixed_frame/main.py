"""LG101: a row of a frame of floats and integers is all float."""

import os

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Table(Dataset):
    def __init__(self):
        self.table = pd.DataFrame({"x": np.linspace(0.0, 1.0, 40), "label": np.arange(40) % 5})

    def __len__(self):
        return len(self.table)

    def __getitem__(self, index):
        row = self.table.iloc[index]  # guilty
        return torch.full((3,), row["x"], dtype=torch.float32), row["label"]


data = Table()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
