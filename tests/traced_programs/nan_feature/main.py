"""LG207: one feature is NaN."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


features = torch.randn(40, 3)
features[5, 1] = float("nan")  # guilty
data = TensorDataset(features, torch.arange(40) % 5)
model = nn.Linear(3, 5)
for x, y in DataLoader(data, batch_size=40):
    out = model(x)
    F.cross_entropy(out, y)
