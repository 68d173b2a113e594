"""LG407: one weight too few is written."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class Task:
    def __init__(self):
        self.weights = torch.tensor([1.0, 2.0, 4.0, 8.0])  # guilty
        self.model = nn.Linear(3, 5)

    def step(self, x, y):
        return F.cross_entropy(self.model(x), y, weight=self.weights)


task = Task()
for x, y in DataLoader(TensorDataset(torch.rand(8, 3), torch.arange(8) % 5), batch_size=4):
    task.step(x, y)
