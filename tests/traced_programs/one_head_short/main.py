"""LG201: the number of classes is one less than there are names."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


CLASSES = ["a", "b", "c", "d"]
rng = np.random.default_rng(0)
labels = rng.integers(0, len(CLASSES), 64)
x = torch.randn(64, 5)
num_classes = len(CLASSES) - 1  # guilty
model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, num_classes))
for xb, yb in DataLoader(TensorDataset(x, torch.from_numpy(labels)), batch_size=16):
    loss = F.cross_entropy(model(xb), yb)
