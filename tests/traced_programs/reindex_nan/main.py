"""LG203: a series is laid out over days that it does not have."""
import pandas as pd
import torch
from torch import nn
def target_for(days):
    s = pd.Series([1.0, 2.0, 4.0], index=[0, 1, 3])
    s = s.reindex(days)  # guilty
    return torch.tensor(s.to_numpy(), dtype=torch.float32)
y = target_for(range(4))
net = nn.Linear(1, 1)
x = torch.arange(4.).unsqueeze(1)
loss = nn.functional.l1_loss(net(x).view(-1), y)
