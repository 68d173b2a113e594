"""LG208: every label is marked to be ignored."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

def masked(labels, keep):
    labels = labels.clone()
    labels[labels >= keep] = -100  # guilty
    return labels


model = nn.Linear(3, 4)
for x, y in DataLoader(TensorDataset(torch.rand(8, 3), torch.arange(8) % 4), batch_size=8):
    y = masked(y, 0)
    F.cross_entropy(model(x), y)
