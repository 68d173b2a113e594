"""LG101: every tensor of the batch is made float in the loop."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.ones(40, 3), torch.arange(40) % 5)
model = nn.Linear(3, 5)
for batch in DataLoader(data, batch_size=8):
    features, labels = [part.float() for part in batch]  # guilty
    loss = F.cross_entropy(model(features), labels)
