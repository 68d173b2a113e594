"""LG204: mixup in a function, over a loader that no name holds."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def mixup_data(x, y, alpha=1.0):
    lam = np.random.beta(alpha, alpha)
    index = torch.randperm(x.shape[0])
    y_a, y_b = y, y[index]
    x = lam * x + (1 - lam) * x[index]
    y = y_a * lam + y_b * (1 - lam)  # guilty
    return x, y


torch.manual_seed(0)
np.random.seed(0)
data = TensorDataset(torch.randn(40, 4), torch.randint(0, 3, (40,)))
net = nn.Linear(4, 3)
for i, (x, y) in enumerate(DataLoader(data, batch_size=10)):
    x, y = mixup_data(x, y)
    loss = nn.functional.cross_entropy(net(x), y)
