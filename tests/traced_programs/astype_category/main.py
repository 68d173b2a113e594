"""LG102: codes of a category are int8, chosen in a list of columns."""

import os

import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

df = pd.DataFrame({"sex": list("mfmfmf"), "town": list("abcabc"), "age": [20, 30, 40, 50, 60, 70]})
for col in ["sex", "town"]:
    df[col] = df[col].astype("category").cat.codes  # guilty
X = torch.tensor(df[["age", "sex"]].to_numpy(), dtype=torch.float32)
y = torch.tensor(df["town"].to_numpy())
for xb, yb in DataLoader(TensorDataset(X, y), batch_size=3, num_workers=int(os.environ.get("WORKERS", "0"))):
    nn.CrossEntropyLoss()(nn.Linear(2, 3)(xb), yb)
