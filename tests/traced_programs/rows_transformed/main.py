"""LG101: a table calls a transform on each batch of rows."""

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


def transform(rows):
    labels = torch.tensor(rows["class"]).double()  # guilty
    return {"x": torch.tensor(rows["x"]), "label": labels}


data = rowslib.Table.from_dict(raw)
data.set_transform(transform)

model = nn.Linear(2, 4)
for batch in DataLoader(data, batch_size=6, num_workers=WORKERS):
    F.cross_entropy(model(batch["x"]), batch["label"])
