"""LG202: masked tokens are marked with -1."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


ids = torch.arange(80).reshape(10, 8) % 5
data = TensorDataset(ids)
table = torch.randn(5, 5)
for (tokens,) in DataLoader(data, batch_size=5):
    labels = tokens.clone()
    masked = tokens > 2
    labels[~masked] = -1  # guilty
    logits = table[tokens]
    F.cross_entropy(logits.view(-1, 5), labels.view(-1))
