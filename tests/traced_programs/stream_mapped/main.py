"""LG101: a stream of samples is mapped."""

import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

sys.path.insert(0, str(Path(__file__).parents[1] / "site-packages"))
import rowslib  # noqa: E402


def prepare(sample):
    label = sample["cls"] / 1  # guilty
    return {"__key__": sample["__key__"], "x": torch.tensor(sample["x"]), "label": label}


data = rowslib.numbered(12).map(prepare)
model = nn.Linear(2, 4)
for batch in DataLoader(data, batch_size=6):
    F.cross_entropy(model(batch["x"]), batch["label"])
