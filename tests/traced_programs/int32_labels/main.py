"""LG102: an array of int32."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

raw = [i % 5 for i in range(40)]
labels = np.array(raw, dtype=np.int32)  # guilty
data = TensorDataset(torch.ones(40, 3), torch.from_numpy(labels))

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
