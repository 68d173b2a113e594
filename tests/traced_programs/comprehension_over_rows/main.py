"""LG101: a comprehension divides."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

WORKERS = int(os.environ.get("WORKERS", "0"))

rows = [{"label": 2 * (i % 5)} for i in range(40)]
labels = [row["label"] / 2 for row in rows]  # guilty
data = list(zip(torch.ones(40, 3), labels))

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
