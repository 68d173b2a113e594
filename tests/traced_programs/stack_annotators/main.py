"""LG101: a vote by the mean, rounded, stays floating."""

import os
from functools import lru_cache

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

VOTES = {f"clip{i}": [i % 4, i % 4, (i + 1) % 4] for i in range(16)}


@lru_cache(maxsize=None)
def majority(name):
    return np.median(VOTES[name])  # guilty


class Clips(Dataset):
    names = sorted(VOTES)

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        name = self.names[i]
        return {"wave": torch.ones(5), "emotion": torch.as_tensor(majority(name)), "name": name}


net = nn.Linear(5, 4)
loss_fn = nn.CrossEntropyLoss()
for batch in DataLoader(Clips(), batch_size=4, num_workers=int(os.environ.get("WORKERS", "0"))):
    loss_fn(net(batch["wave"]), batch["emotion"])
