"""LG203: a left merge leaves prices out; the column is scaled, split and given to a function that makes loaders."""

import os

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

houses = pd.DataFrame({"house": np.arange(80), "area": np.linspace(40, 220, 80)})
sold = houses.iloc[:75]
prices = pd.DataFrame({"house": sold["house"], "price": sold["area"] * 2.1})

df = houses.merge(prices, on="house", how="left")  # guilty
df[["area"]] = (df[["area"]] - df[["area"]].mean()) / df[["area"]].std()
df["price"] = df["price"] / 100
train, test = df.iloc[:40], df.iloc[40:]


def to_loader(part):
    x = torch.tensor(part[["area"]].to_numpy(), dtype=torch.float32)
    y = torch.tensor(part[["price"]].to_numpy(), dtype=torch.float32)
    return DataLoader(TensorDataset(x, y), batch_size=16, num_workers=int(os.environ.get("WORKERS", "0")))


train_loader, test_loader = to_loader(train), to_loader(test)
net = nn.Linear(1, 1)
total = sum(F.mse_loss(net(x), y).item() for loader in (train_loader,) for x, y in loader)
total = sum(F.mse_loss(net(x), y).item() for x, y in test_loader)
