"""LG501: the target is moved to another device than the scores are on."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Linear(3, 4)
for x, y in DataLoader(TensorDataset(torch.rand(8, 3), torch.arange(8) % 4), batch_size=8):
    scores = model(x)
    y = y.to("meta")  # guilty
    F.cross_entropy(scores, y)
