"""LG101: torch.Tensor makes float32 of a list of integers."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

numbers = [i % 5 for i in range(40)]
labels = torch.Tensor(numbers)  # guilty
data = TensorDataset(torch.ones(40, 3), labels)

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
