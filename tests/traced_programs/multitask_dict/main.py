"""LG203: one of several tasks has a NaN after groupby and merge."""

import os

import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

sales = pd.DataFrame({"shop": ["a", "a", "b", "b", "c", "c", "d", "d"], "units": [4.0, 6.0, 3.0, 5.0, 7.0, 9.0, 2.0, 1.0]})
visits = pd.DataFrame({"shop": ["a", "b", "d"], "visits": [10.0, 12.0, 8.0]})


def build(sales, visits):
    units = sales.groupby("shop", as_index=False)["units"].sum()
    table = units.merge(visits, on="shop", how="left")  # guilty
    table["price"] = table["units"] / 2
    return table


class Shops(Dataset):
    tasks = ("units", "visits", "price")

    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __getitem__(self, i):
        row = self.table.iloc[i]
        targets = {t: torch.tensor(row[t], dtype=torch.float32) for t in self.tasks}
        return torch.tensor([float(i)]), targets


class MultiHead(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.heads = nn.ModuleDict({t: nn.Linear(1, 1) for t in tasks})

    def forward(self, x):
        return {t: head(x).squeeze(-1) for t, head in self.heads.items()}


model = MultiHead(Shops.tasks)
criterion = nn.MSELoss()
for x, targets in DataLoader(Shops(build(sales, visits)), batch_size=4, num_workers=int(os.environ.get("WORKERS", "0"))):
    out = model(x)
    total = sum(criterion(out[t], targets[t]) for t in targets)
