"""LG103: a comparison makes the labels boolean."""

import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

WORKERS = int(os.environ.get("WORKERS", "0"))

scores = np.linspace(0.0, 1.0, 40)


class Scores(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        score = scores[index]
        label = score > 0.5  # guilty
        return torch.ones(3), bool(label)


data = Scores()

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
