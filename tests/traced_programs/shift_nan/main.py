"""LG203: the last row of each group has no next."""
import pandas as pd
import torch
from torch import nn
def build():
    df = pd.DataFrame({"store": [1, 1, 1, 2, 2, 2], "sales": [3.0, 4, 5, 6, 7, 8]})
    df["next"] = df.groupby("store")["sales"].shift(-1)  # guilty
    x = torch.tensor(df[["sales"]].values, dtype=torch.float32)
    y = torch.tensor(df["next"].values, dtype=torch.float32)
    return x, y
x, y = build()
net = nn.Linear(1, 1)
loss = nn.MSELoss()(net(x).squeeze(1), y)
