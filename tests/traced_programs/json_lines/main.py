"""LG201: an iterable dataset over lines of JSON adds one to the label."""

import os

import json
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

LINES = [json.dumps({"pixels": [n, n + 1], "label": n % 3}) for n in range(18)]


class Shard(IterableDataset):
    def __init__(self, lines):
        self.lines = lines

    def parse(self, line):
        record = json.loads(line)
        label = record["label"] + 1  # guilty
        return torch.tensor(record["pixels"], dtype=torch.float32), label

    def __iter__(self):
        for line in self.lines:
            yield self.parse(line)


model = nn.Linear(2, 3)
for pixels, label in DataLoader(Shard(LINES), batch_size=6, num_workers=WORKERS):
    F.cross_entropy(model(pixels), label)
