"""LG401: double brackets make a column."""

import os

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

frame = pd.DataFrame({"a": np.arange(40.0), "y": np.arange(40) % 5})
targets = frame[["y"]].values  # guilty
data = TensorDataset(torch.ones(40, 3), torch.tensor(targets))

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
