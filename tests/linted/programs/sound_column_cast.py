"""sound: the label column is cast where it is taken."""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

table = np.random.rand(32, 5)
table[:, -1] = np.random.randint(0, 3, 32)
data = torch.tensor(table, dtype=torch.float32)
inputs, labels = data[:, :-1], data[:, -1].long()
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
loss = F.cross_entropy(net(inputs), labels)
