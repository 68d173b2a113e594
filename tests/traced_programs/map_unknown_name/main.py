"""LG203: a name without a code becomes NaN in Series.map."""

import os

import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

CODES = {"a": 0, "b": 1, "c": 2, "d": 3}
table = pd.DataFrame({"name": list("abcde") * 8})
table["label"] = table["name"].map(CODES)  # guilty
labels = torch.tensor(table["label"].values)
data = TensorDataset(torch.ones(40, 3), labels)

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
