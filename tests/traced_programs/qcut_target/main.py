"""LG201: quantiles are cut into more classes than the network has."""

import os
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    features: list = field(default_factory=lambda: ["f1", "f2"])
    target: str = "bucket"
    n_classes: int = 4


def load():
    rng = np.random.RandomState(7)
    return pd.DataFrame({"f1": rng.rand(50), "f2": rng.rand(50), "price": rng.lognormal(size=50)})


cfg = Config()
df = load()
df["bucket"] = pd.qcut(df["price"], 5, labels=False)  # guilty
train = df.sample(frac=0.8, random_state=0)
X = torch.tensor(train[cfg.features].values).float()
Y = torch.tensor(train[cfg.target].values)
loader = DataLoader(TensorDataset(X, Y), batch_size=10, num_workers=int(os.environ.get("WORKERS", "0")))
model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, cfg.n_classes))
for x, y in loader:
    loss = nn.functional.cross_entropy(model(x), y)
