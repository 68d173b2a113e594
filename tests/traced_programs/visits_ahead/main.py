"""LG104: counts of visits are whole in the series, and so is the tensor of the next ones."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Visits(Dataset):
    def __init__(self, path_length=120):
        rng = np.random.default_rng(0)
        self.counts = rng.poisson(9.0, path_length).astype(np.int64)

    def __len__(self):
        return len(self.counts) - 14

    def __getitem__(self, day):
        week = self.counts[day : day + 7]
        ahead = torch.tensor(self.counts[day + 7 : day + 14])  # guilty
        return torch.tensor(week, dtype=torch.float32) / 10, ahead


net = nn.Linear(7, 7)
for week, ahead in DataLoader(Visits(), batch_size=16, shuffle=True):
    nn.functional.huber_loss(net(week), ahead).backward()
