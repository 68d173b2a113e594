"""LG101: np.loadtxt reads everything as floats."""

import os
import io

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

text = "\n".join(f"{i}.0,{i}.5,{i}.25,{i % 5}" for i in range(40))
array = np.loadtxt(io.StringIO(text), delimiter=",")  # guilty
X = array[:, :-1].astype(np.float32)
y = array[:, -1]
data = TensorDataset(torch.from_numpy(X), torch.from_numpy(y))

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
