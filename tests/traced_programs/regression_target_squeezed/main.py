"""LG406: the target loses its axis in __getitem__, the output keeps it."""

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, frame):
        self.x = frame[["a", "b"]].to_numpy(dtype="float32")
        self.y = frame[["c"]].to_numpy(dtype="float32")
    def __len__(self): return len(self.x)
    def __getitem__(self, i):
        return torch.tensor(self.x[i]), torch.tensor(self.y[i]).squeeze()  # guilty

frame = pd.DataFrame(np.random.rand(40, 3), columns=list("abc"))
net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
for xb, yb in DataLoader(Rows(frame), batch_size=10):
    loss = nn.MSELoss()(net(xb), yb)
