"""LG201: quarters are numbered from 1, and there are four classes."""
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

orders = pd.DataFrame({"day": pd.date_range("2023-01-02", periods=48, freq="W"), "amount": range(48)})
quarter = orders["day"].dt.quarter.to_numpy()  # guilty
amount = torch.tensor(orders["amount"].to_numpy(), dtype=torch.float32).unsqueeze(1)
net = nn.Linear(1, 4)
for x, y in DataLoader(TensorDataset(amount, torch.tensor(quarter, dtype=torch.long)), batch_size=16):
    nn.functional.cross_entropy(net(x), y).backward()
