"""LG101: labels stand in one array with real numbers."""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
rows = [[5.1, 3.5, 0], [4.9, 3.0, 1], [6.2, 2.8, 2], [5.9, 3.0, 1]]
data = np.array(rows)  # guilty
x, y = data[:, :2], data[:, 2]
net = nn.Linear(2, 3)
loss = F.cross_entropy(net(torch.tensor(x, dtype=torch.float32)), torch.tensor(y))
