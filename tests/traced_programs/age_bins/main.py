"""LG201: digitize gives one class more than there are edges."""
import numpy as np
import torch
from torch import nn
EDGES = [18, 30, 45, 60]
def bucket(ages):
    return np.digitize(ages, EDGES)  # guilty
ages = np.array([17, 22, 35, 50, 70, 15])
y = torch.as_tensor(bucket(ages))
net = nn.Linear(2, len(EDGES))
loss = nn.functional.cross_entropy(net(torch.randn(6, 2)), y)
