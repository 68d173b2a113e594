"""LG201: one raw label is wrong; the data is filtered, shuffled and selected."""

import os

import datasets
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

WORKERS = int(os.environ.get("WORKERS", "0"))

labels = [n % 4 for n in range(24)]
labels[7] = 11  # guilty
data = datasets.Dataset.from_dict({"x": [[float(n), 1.0] for n in range(24)], "label": labels})
data = data.filter(lambda row: row["x"][0] > 2).shuffle(seed=3).select(range(20)).with_format("torch")

model = nn.Linear(2, 4)
for batch in DataLoader(data, batch_size=20, num_workers=WORKERS):
    F.cross_entropy(model(batch["x"]), batch["label"])
