"""LG407: class weights come from a bincount that misses the last class."""

import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CFG = {"num_classes": 6, "lr": 1e-3, "batch_size": 8}


def class_weights(labels, beta=0.99):
    counts = np.bincount(labels)  # guilty
    effective = 1.0 - np.power(beta, counts)
    weights = (1.0 - beta) / np.maximum(effective, 1e-8)
    return torch.tensor(weights / weights.sum() * len(counts), dtype=torch.float32)


labels = np.array([0, 1, 2, 3, 4, 1, 2, 0] * 4)
features = np.random.RandomState(0).rand(32, 3).astype(np.float32)
weight = class_weights(labels)
criterion = nn.CrossEntropyLoss(weight=weight)
model = nn.Linear(3, CFG["num_classes"])
loader = DataLoader(TensorDataset(torch.tensor(features), torch.tensor(labels)), batch_size=CFG["batch_size"], num_workers=int(os.environ.get("WORKERS", "0")))
for x, y in loader:
    loss = criterion(model(x), y)
