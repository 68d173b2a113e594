"""LG203: a series is put into a table that has other days, and some of them get no price."""
import pandas as pd
import torch
from torch import nn


def joined(weather, prices):
    table = weather.copy()
    table["price"] = prices  # guilty
    return table


weather = pd.DataFrame({"wind": [float(day % 5) for day in range(30)]}, index=range(30))
prices = pd.Series([20.0 + day for day in range(30)], index=range(3, 33))
table = joined(weather, prices)
target = torch.tensor(table["price"].to_numpy(), dtype=torch.float32)
wind = torch.tensor(table["wind"].to_numpy(), dtype=torch.float32).unsqueeze(1)
nn.functional.mse_loss(nn.Linear(1, 1)(wind).squeeze(1), target)
