"""LG407: the number of weights comes from a table of settings."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CONFIG = {"classes": 6, "weights": {"background": 0.1, "road": 1.0, "car": 2.0}}


def criterion(config):
    weights = torch.tensor(list(config["weights"].values()))  # guilty
    return nn.CrossEntropyLoss(weights)


loss = criterion(CONFIG)
model = nn.Linear(3, CONFIG["classes"])
for x, y in DataLoader(TensorDataset(torch.rand(8, 3), torch.arange(8) % 6), batch_size=4):
    loss(model(x), y)
