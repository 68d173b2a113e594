"""LG201: a helper changes the rows that it is given."""
import torch
import torch.nn.functional as F
from torch import nn
records = [{"x": [0.1, 0.2], "y": i % 3} for i in range(9)]
def fix(records):
    for r in records:
        if r["x"][0] > 0:
            r["y"] = r["y"] + 1  # guilty
fix(records)
x = torch.tensor([r["x"] for r in records])
y = torch.tensor([r["y"] for r in records])
loss = F.cross_entropy(nn.Linear(2, 3)(x), y)
