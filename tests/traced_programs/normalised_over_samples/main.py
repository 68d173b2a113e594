"""LG304: votes are divided by their sums over the samples, not over the classes."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def shares(votes):
    total = votes.sum(axis=0, keepdims=True)
    return votes / total  # guilty


votes = np.array([[3, 1, 0], [1, 1, 2], [0, 4, 0], [2, 1, 1]] * 5, dtype=np.float32)
model = nn.Linear(2, 3)
for x, y in DataLoader(TensorDataset(torch.rand(20, 2), torch.tensor(shares(votes))), batch_size=10):
    nn.functional.cross_entropy(model(x), y)
