"""LG210: ids are cut to a byte, long before the pairs are split into their columns."""

import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
users, items = rng.integers(0, 100, 400), rng.integers(0, 300, 400)
pairs = np.stack([users, items], 1).astype(np.int8)  # guilty
pairs = torch.from_numpy(pairs).long()
eu, ei = nn.Embedding(100, 4), nn.Embedding(300, 4)
for chunk in pairs.split(50):
    u, i = torch.split(chunk, 1, dim=1)
    score = (eu(u) * ei(i)).sum(-1)
    loss = torch.nn.functional.mse_loss(score, torch.zeros_like(score))
