"""LG203: the missing label is still there."""

import os

import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

import io

TEXT = "x,label\n" + "\n".join(f"{i}.5,{'' if i == 7 else i % 5}" for i in range(40))
table = pd.read_csv(io.StringIO(TEXT))  # guilty
labels = torch.tensor(table["label"].to_numpy())
data = TensorDataset(torch.ones(40, 3), labels)

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
