"""LG101: a derived dataset changes what super().__getitem__ gave."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler


class Base(Dataset):
    def __init__(self, n=30):
        self.targets = [i % 3 for i in range(n)]

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, index):
        return torch.full((2,), float(index)), self.targets[index]


class Noisy(Base):
    def __init__(self, *args, strength=1.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.strength = strength

    def __getitem__(self, index):
        image, target = super().__getitem__(index)
        image = image + 0.01
        target = target * self.strength  # guilty
        return image, target


ds = Noisy(30)
weights = [1.0 / (1 + t) for t in ds.targets]
sampler = WeightedRandomSampler(weights, num_samples=len(ds))
loader = DataLoader(ds, batch_size=6, sampler=sampler, num_workers=int(os.environ.get("WORKERS", "0")))
criterion = nn.CrossEntropyLoss()
model = nn.Linear(2, 3)
for x, y in loader:
    criterion(model(x), y)
