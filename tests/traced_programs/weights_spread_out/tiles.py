import numpy as np
import torch
from torch.utils.data import Dataset


class TileDataset(Dataset):
    def __init__(self, n_tiles, n_classes, size=24, seed=0):
        rng = np.random.default_rng(seed)
        coarse = rng.integers(0, n_classes, (n_tiles, size // 4, size // 4))
        self.masks = coarse.repeat(4, axis=1).repeat(4, axis=2)
        palette = rng.random((n_classes, 3))
        noise = rng.normal(0, 0.05, (n_tiles, size, size, 3))
        self.tiles = (palette[self.masks] + noise).astype(np.float32)

    def __len__(self):
        return len(self.tiles)

    def __getitem__(self, i):
        return torch.from_numpy(self.tiles[i]).permute(2, 0, 1), torch.from_numpy(self.masks[i])
