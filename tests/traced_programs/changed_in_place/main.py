"""LG202: the labels that are kept are lowered in place, once in each epoch."""

import torch
from torch import nn


class Store:
    def __init__(self):
        self.x = torch.randn(32, 6)
        self.y = torch.arange(32) % 4 + 1

    def batches(self):
        for start in range(0, 32, 16):
            yield self.x[start : start + 16], self.y[start : start + 16]


class Trainer:
    def __init__(self):
        self.store = Store()
        self.model = nn.Linear(6, 4)
        self.criterion = nn.CrossEntropyLoss()

    def step(self, x, y):
        logits = self.model(x)
        y -= 1  # guilty
        return self.criterion(logits, y)

    def fit(self):
        for _ in range(2):
            for x, y in self.store.batches():
                self.step(x, y).backward()


Trainer().fit()
