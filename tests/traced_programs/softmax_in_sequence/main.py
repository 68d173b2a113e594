"""LG303: the model ends in a softmax."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Sequential(
    nn.Linear(3, 5),
    nn.ReLU(),
    nn.Softmax(dim=1),  # guilty
)
data = TensorDataset(torch.randn(40, 3), torch.arange(40) % 5)
for features, labels in DataLoader(data, batch_size=8):
    output = model(features)
    loss = F.cross_entropy(output, labels)
