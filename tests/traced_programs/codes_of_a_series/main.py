"""LG201: codes that count from 1 are applied by Series.map."""


import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


NAMES = ["ant", "bee", "cat", "dog", "eel"]
names = NAMES * 8
codes = {name: i for i, name in enumerate(NAMES, 1)}  # guilty
frame = pd.DataFrame({"name": names})
frame["code"] = frame["name"].map(codes)
labels = torch.tensor(frame["code"].to_numpy())

data = TensorDataset(torch.ones(40, 3), labels)
model = nn.Linear(3, 5)
for x, y in DataLoader(data, batch_size=40, shuffle=True):
    F.cross_entropy(model(x), y)
