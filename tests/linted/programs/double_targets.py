"""LG105: targets of numpy stay float64 beside a float32 model."""
import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
x = torch.from_numpy(rng.normal(size=(20, 3)).astype(np.float32))
y = torch.from_numpy(rng.random((20, 1)))
model = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid())
loss = nn.BCELoss()(model(x), y)  # LG105
