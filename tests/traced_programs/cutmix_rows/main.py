"""LG403: half of the batch is appended to the images and not to the labels."""

import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def augment(images, labels):
    half = images.size(0) // 2
    flipped = images[:half].flip(-1)
    images = torch.cat([images, flipped], dim=0)  # guilty
    return images, labels


class Engine:
    def __init__(self, model, criterion, augment=None):
        self.model, self.criterion, self.augment = model, criterion, augment

    def step(self, batch):
        images, labels = batch
        if self.augment is not None:
            images, labels = self.augment(images, labels)
        logits = self.model(images)
        return self.criterion(logits, labels)

    def run(self, loader):
        for batch in loader:
            self.step(batch).backward()


data = TensorDataset(torch.randn(24, 2, 6), torch.arange(24) % 4)
model = nn.Sequential(nn.Flatten(), nn.Linear(12, 4))
Engine(model, nn.CrossEntropyLoss(), augment).run(DataLoader(data, batch_size=8, num_workers=int(os.environ.get("WORKERS", "0"))))
