import numpy as np
import torch
from torch.utils.data import Dataset

FAULTS = ["none", "ring", "center", "scratch"]


class WaferMaps(Dataset):
    def __init__(self, n, side, seed=0):
        rng = np.random.default_rng(seed)
        yy, xx = np.mgrid[:side, :side] - (side - 1) / 2
        r = np.hypot(xx, yy) / (side / 2)
        labels = rng.choice(4, n, p=[0.6, 0.15, 0.15, 0.1])
        maps = rng.random((n, side, side)) < 0.08
        maps[labels == 1] |= (r > 0.75) & (r < 1.0)
        maps[labels == 2] |= r < 0.35
        for i in np.flatnonzero(labels == 3):
            maps[i, rng.integers(2, side - 2), 2:-2] = True
        self.n_pixels = side * side
        self.maps = torch.tensor(maps, dtype=torch.float32)
        self.labels = torch.tensor(labels)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.maps[i], self.labels[i]
