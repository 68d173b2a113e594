"""LG201: one row of a label file has a class that is not in the list, by a typing slip."""

import csv
import os
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

CLASSES = ["rock", "paper", "scissors"]


def write(path):
    with open(path, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["file", "class_id"])
        for i in range(20):
            w.writerow([f"img_{i}.png", i % 3])
        w.writerow(["img_20.png", 12])


class Hands(Dataset):
    def __init__(self, csv_path):
        with open(csv_path) as f:
            reader = csv.reader(f)
            next(reader)
            self.items = [(name, int(label)) for name, label in reader]  # guilty

    def __len__(self):
        return len(self.items)

    def _load(self, name):
        return torch.full((3,), float(len(name)))

    def __getitem__(self, idx):
        name, label = self.items[idx]
        return {"image": self._load(name), "label": label, "name": name}


path = os.path.join(tempfile.mkdtemp(), "labels.csv")
write(path)
loader = DataLoader(Hands(path), batch_size=7, shuffle=True, num_workers=int(os.environ.get("WORKERS", "0")))
model = nn.Linear(3, len(CLASSES))
criterion = nn.CrossEntropyLoss()
for batch in loader:
    criterion(model(batch["image"]), batch["label"])
