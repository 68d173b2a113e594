"""LG104: integer labels for a loss of probabilities."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

labels = torch.randint(0, 2, (40, 1))  # guilty
data = TensorDataset(torch.ones(40, 3), labels)
model = nn.Linear(3, 1)
for features, target in DataLoader(data, batch_size=8):
    loss = F.binary_cross_entropy(torch.sigmoid(model(features)), target)
