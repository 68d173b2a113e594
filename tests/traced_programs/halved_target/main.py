"""LG403: only half of the labels is taken."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

def halves(labels):
    middle = len(labels) // 2
    return labels[:middle]  # guilty


model = nn.Linear(3, 5)
for x, y in DataLoader(TensorDataset(torch.rand(8, 3), torch.arange(8) % 5), batch_size=4):
    y = halves(y)
    F.cross_entropy(model(x), y)
