"""LG203: a step of a pipeline takes the logarithm of a count; the collate function calls torch's own."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, default_collate


class Compose(list):
    def __call__(self, sample):
        for step in self:
            sample = step(sample)
        return sample


class OnKey:
    def __init__(self, key, fn):
        self.key, self.fn = key, fn

    def __call__(self, sample):
        return {**sample, self.key: self.fn(sample[self.key])}


def log_count(count):
    return torch.log(count)  # guilty


class Crowds(Dataset):
    def __init__(self, transform=None):
        self.people = (torch.rand(32, 9, generator=torch.Generator().manual_seed(2)) < 0.1).float()
        self.transform = transform

    def __len__(self):
        return len(self.people)

    def __getitem__(self, i):
        sample = {"id": i, "image": self.people[i], "count": self.people[i].sum()}
        return self.transform(sample) if self.transform else sample


def collate(samples):
    batch = default_collate(samples)
    batch["id"] = batch["id"].tolist()
    return batch


data = Crowds(Compose([OnKey("image", lambda im: im - im.mean()), OnKey("count", log_count)]))
loader = DataLoader(data, batch_size=16, collate_fn=collate, num_workers=int(os.environ.get("WORKERS", "0")))
model, huber = nn.Linear(9, 1), nn.HuberLoss(delta=0.5)
for batch in loader:
    huber(model(batch["image"]).squeeze(1), batch["count"])
