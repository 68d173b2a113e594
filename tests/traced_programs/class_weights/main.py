"""LG407: classes without samples get no weight."""
import numpy as np
import torch
from torch import nn
def weights_for(labels):
    counts = np.bincount(labels)
    present = counts[counts > 0]  # guilty
    return torch.tensor(len(labels) / (len(present) * present), dtype=torch.float32)
labels = np.array([0, 0, 1, 3, 3, 1, 0, 3])
criterion = nn.CrossEntropyLoss(weight=weights_for(labels))
net = nn.Linear(5, 4)
loss = criterion(net(torch.randn(8, 5)), torch.from_numpy(labels))
