"""LG203: the logarithm of a column with negatives, before get_dummies makes another table of it."""

import os

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Firms(Dataset):
    def __init__(self, frame, features, target):
        self.features = frame[features].values
        self.target = frame[target].values

    def __len__(self):
        return len(self.target)

    def __getitem__(self, idx):
        return torch.tensor(self.features[idx]).float(), torch.tensor([self.target[idx]]).float()


np.seterr(all="ignore")
rng = np.random.RandomState(21)
firms = pd.DataFrame({"research": rng.rand(60), "admin": rng.rand(60), "state": rng.choice(["NY", "CA"], 60)})
firms["profit"] = 1.5 * firms["research"] - firms["admin"]
firms["log_profit"] = np.log(firms["profit"])  # guilty
firms = pd.get_dummies(firms, columns=["state"], dtype=float)
features = ["research", "admin", "state_CA", "state_NY"]
loader = DataLoader(Firms(firms, features, "log_profit"), batch_size=30, num_workers=int(os.environ.get("WORKERS", "0")))
model = nn.Linear(4, 1)
mse = nn.MSELoss()
for x, y in loader:
    mse(model(x), y).backward()
