"""LG101: a store holds its columns as arrays in a dict, and writes into them item by item."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Store:
    def __init__(self, capacity, width):
        self.columns = {
            "features": np.zeros((capacity, width), dtype=np.float32),
            "label": np.zeros(capacity, dtype=np.float32),  # guilty
            "done": np.zeros(capacity, dtype=np.float32),
        }
        self.position = 0

    def push(self, **entry):
        for name, value in entry.items():
            self.columns[name][self.position] = value
        self.position += 1

    def sample(self, rows):
        return {name: torch.from_numpy(column[rows]) for name, column in self.columns.items()}


def main():
    rng = np.random.default_rng(3)
    store = Store(64, 5)
    for number in range(64):
        store.push(features=rng.normal(size=5), label=number % 4, done=number % 2 == 0)
    model = nn.Linear(5, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        batch = store.sample(rng.integers(0, 64, size=16))
        loss = F.cross_entropy(model(batch["features"]), batch["label"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
