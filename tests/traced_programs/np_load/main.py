"""LG101: an array of floats from a file."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

import tempfile

path = tempfile.mkdtemp() + "/labels.npy"
np.save(path, (np.arange(40) % 5).astype(np.float32))  # guilty
labels = np.load(path)
data = TensorDataset(torch.ones(40, 3), torch.from_numpy(labels))

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
