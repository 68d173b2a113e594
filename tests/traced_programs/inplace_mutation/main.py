"""LG201: a helper changes the array that it is given."""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
def shift(arr):
    arr += 1  # guilty
y = np.array([0, 1, 2, 2])
x = torch.randn(4, 3)
shift(y)
loss = F.cross_entropy(nn.Linear(3, 3)(x), torch.from_numpy(y))
