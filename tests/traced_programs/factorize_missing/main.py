"""LG202: factorize marks a missing species with -1."""

import os

import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

df = pd.DataFrame(
    {
        "length": [5.1, 4.9, 6.3, 5.8, 7.1, 6.3, 5.0, 6.5],
        "width": [3.5, 3.0, 3.3, 2.7, 3.0, 2.9, 3.4, 3.0],
        "species": ["setosa", "setosa", "virginica", "virginica", None, "versicolor", "setosa", "virginica"],
    }
)
df["target"], uniques = pd.factorize(df["species"])  # guilty
X = torch.tensor(df[["length", "width"]].values, dtype=torch.float32)
y = torch.tensor(df["target"].values, dtype=torch.long)
train_ds = TensorDataset(X, y)
train_dl = DataLoader(train_ds, batch_size=4, num_workers=int(os.environ.get("WORKERS", 0)))

net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, len(uniques)))
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters())
for epoch in range(2):
    for xb, yb in train_dl:
        opt.zero_grad()
        loss = loss_fn(net(xb), yb)
        loss.backward()
        opt.step()
