"""LG213: a missing grade of a json file becomes NaN, and a cast makes an integer of it."""

import json
import os
import tempfile
from collections import namedtuple

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

Sample = namedtuple("Sample", "text grade")


def load(path):
    with open(path) as f:
        records = json.load(f)["records"]
    return [Sample(r["text"], r.get("grade", float("nan"))) for r in records]  # guilty


class Essays(Dataset):
    def __init__(self, path):
        self.samples = load(path)

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        s = self.samples[i]
        return torch.tensor([len(s.text)], dtype=torch.float32), torch.tensor(s.grade).long()


with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, "essays.json")
    with open(path, "w") as f:
        json.dump({"records": [{"text": "x" * i, **({"grade": i % 5} if i != 7 else {})} for i in range(1, 41)]}, f)
    dataset = Essays(path)
model = nn.Linear(1, 5)
for x, y in DataLoader(dataset, batch_size=20, num_workers=int(os.environ.get("WORKERS", "0"))):
    loss = nn.CrossEntropyLoss()(model(x), y)
