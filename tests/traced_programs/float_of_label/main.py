"""LG101: the label is cast in the loop, by its own name."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

data = TensorDataset(torch.ones(40, 3, dtype=torch.float64), torch.arange(40) % 5)


def train(model, loader):
    for features, y in loader:
        features = features.float()
        y = y.float()  # guilty
        loss = F.cross_entropy(model(features), y)
        loss.backward()


train(nn.Linear(3, 5), DataLoader(data, batch_size=8, num_workers=WORKERS))
