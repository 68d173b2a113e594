"""LG101: map makes the label a float."""

import os

import datasets
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

WORKERS = int(os.environ.get("WORKERS", "0"))

raw = {"x": [[float(n), 1.0] for n in range(24)], "label": [n % 4 for n in range(24)]}


def prepare(example):
    example["target"] = example["label"] / 1  # guilty
    return example


data = datasets.Dataset.from_dict(raw).map(prepare).with_format("torch")

model = nn.Linear(2, 4)
for batch in DataLoader(data, batch_size=6, shuffle=True, num_workers=WORKERS):
    F.cross_entropy(model(batch["x"]), batch["target"])
