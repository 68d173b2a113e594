"""LG105: a helper gives float64, where the array beside it was made float32."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def closeness(steps):
    return 1 / (1 + steps)  # guilty


class Mazes(Dataset):
    def __init__(self, n=32):
        rng = np.random.default_rng(5)
        self.views = rng.random((n, 6)).astype(np.float32)
        self.steps = rng.integers(0, 9, (n, 2))

    def __len__(self):
        return len(self.views)

    def __getitem__(self, i):
        near = closeness(self.steps[i])
        return torch.from_numpy(self.views[i]), torch.from_numpy(near)


net = nn.Sequential(nn.Linear(6, 2), nn.Sigmoid())
for view, near in DataLoader(Mazes(), batch_size=8):
    loss = nn.functional.binary_cross_entropy(net(view), near)
    loss.backward()
