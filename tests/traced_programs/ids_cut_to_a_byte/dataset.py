import json

import numpy as np
import torch
from torch.utils.data import Dataset


class CachedProducts(Dataset):
    def __init__(self, workdir):
        self.meta = json.loads((workdir / "meta.json").read_text())
        self.x = np.load(workdir / "x.npy", mmap_mode="r")
        self.y = np.load(workdir / "y.npy")

    @property
    def n_features(self):
        return len(self.meta["features"])

    @property
    def n_classes(self):
        return self.meta["n_classes"]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        x = torch.from_numpy(self.x[i].copy())
        return x, torch.tensor(self.y[i], dtype=torch.long)
