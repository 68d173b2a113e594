"""LG201: characters are numbered by their distance from 0, in a function that remembers."""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, WeightedRandomSampler

from plates import CHARS, PlateDataset


class PlateReader(nn.Module):
    def __init__(self, features=24, hidden=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, len(CHARS)))

    def forward(self, crops):
        return self.net(crops).permute(0, 2, 1)


def letter_heavy(plates):
    return [1.0 + sum(c.isalpha() for c in plate) for plate in plates]


torch.manual_seed(0)
dataset = PlateDataset(200)
sampler = WeightedRandomSampler(letter_heavy(dataset.plates), num_samples=len(dataset))
loader = DataLoader(dataset, batch_size=20, sampler=sampler, num_workers=int(os.environ.get("WORKERS", "0")))
model = PlateReader()
criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=3 * len(loader))
for epoch in range(3):
    hits = seen = 0
    for crops, labels in loader:
        logits = model(crops)
        loss = criterion(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        hits += (logits.argmax(1) == labels).sum().item()
        seen += labels.numel()
    print(f"epoch {epoch} loss {loss.item():.3f} char acc {hits / seen:.3f}")
