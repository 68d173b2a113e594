"""LG407: weights are counted over the classes that occur."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

labels = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])
counts = torch.bincount(labels)  # guilty
weights = counts.sum() / counts.float()
criterion = nn.CrossEntropyLoss(weight=weights)
model = nn.Linear(3, 5)
for x, y in DataLoader(TensorDataset(torch.rand(8, 3), labels), batch_size=4):
    criterion(model(x), y)
