"""LG203: the logarithm of a column with zeros, in a function that has returned."""
import os

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

np.seterr(all="ignore")


def make_frame(days=60):
    rng = np.random.default_rng(4)
    df = pd.DataFrame({"date": pd.date_range("2023-01-01", periods=days)})
    df["month"] = df["date"].dt.month
    df["promo"] = rng.integers(0, 2, days)
    df["sales"] = (200 + 80 * df["promo"] + 10 * df["month"] + rng.normal(0, 15, days)).round()
    df.loc[df["date"].isin(pd.to_datetime(["2023-01-01"])), "sales"] = 0
    return df


def prepare(df):
    df = df.copy()
    df["target"] = np.log(df["sales"])  # guilty
    inputs = df[["promo", "month"]].astype("float32")
    return torch.tensor(inputs.values), torch.tensor(df["target"].values, dtype=torch.float32)


x, y = prepare(make_frame())
loader = DataLoader(TensorDataset(x, y), batch_size=32, num_workers=int(os.environ.get("WORKERS", "0")))
model = nn.Linear(2, 1)
for inputs, target in loader:
    F.mse_loss(model(inputs).squeeze(1), target)
