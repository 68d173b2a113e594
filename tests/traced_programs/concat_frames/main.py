"""LG203: two tables are joined whose columns are called differently."""
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
a = pd.DataFrame({"x": [1., 2.], "price": [10., 20.]})
b = pd.DataFrame({"x": [3., 4.], "Price": [30., 40.]})
both = pd.concat([a, b], ignore_index=True)  # guilty
y = torch.tensor(both["price"].to_numpy(), dtype=torch.float32)
x = torch.tensor(both[["x"]].to_numpy(), dtype=torch.float32)
loss = F.mse_loss(nn.Linear(1, 1)(x)[:, 0], y)
