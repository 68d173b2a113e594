"""LG403: the target is flattened and the scores are not."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

tags = torch.arange(48).reshape(8, 6) % 4
model = nn.Linear(3, 4)
for x, y in DataLoader(TensorDataset(torch.rand(8, 3), tags), batch_size=4):
    target = y.flatten()  # guilty
    F.cross_entropy(model(x), target)
