"""LG201: one part of each tuple of a stream is shifted."""

import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

sys.path.insert(0, str(Path(__file__).parents[1] / "site-packages"))
import rowslib  # noqa: E402

data = (
    rowslib.numbered(12)
    .to_tuple("x", "cls")
    .map_tuple(
        torch.tensor,
        lambda label: label + 1,  # guilty
    )
)
model = nn.Linear(2, 4)
for x, y in DataLoader(data, batch_size=6):
    F.cross_entropy(model(x), y)
