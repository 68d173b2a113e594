"""LG204: missing labels are filled with the mean."""

import os
import io

import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

text = "x,label\n" + "\n".join(f"{i}.5,{'' if i == 7 else i % 4}" for i in range(40))
frame = pd.read_csv(io.StringIO(text))
frame["label"] = frame["label"].fillna(frame["label"].mean())  # guilty
data = TensorDataset(torch.ones(40, 3), torch.tensor(frame["label"].to_numpy()))

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
