"""LG201: a table of a library is mapped, filtered and formatted."""

import os

import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

WORKERS = int(os.environ.get("WORKERS", "0"))

sys.path.insert(0, str(Path(__file__).parents[1] / "site-packages"))
import rowslib  # noqa: E402

raw = {"x": [[float(n), 1.0] for n in range(24)], "class": [n % 4 for n in range(24)]}


def number(row):
    return {"label": row["class"] + 1}  # guilty


def scale(row):
    return {"x": [value / 10 for value in row["x"]]}


data = rowslib.Table.from_dict(raw).map(number).map(scale).filter(lambda row: row["x"][1] > 0).with_format("torch")

model = nn.Linear(2, 4)
for batch in DataLoader(data, batch_size=6, num_workers=WORKERS):
    F.cross_entropy(model(batch["x"]), batch["label"])
