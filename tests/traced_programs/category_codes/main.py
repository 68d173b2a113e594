"""LG102: category codes are int8."""

import os

import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

frame = pd.DataFrame({"name": list("abcde") * 8})
codes = frame["name"].astype("category").cat.codes  # guilty
labels = torch.tensor(codes.to_numpy())
data = TensorDataset(torch.ones(40, 3), labels)

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
