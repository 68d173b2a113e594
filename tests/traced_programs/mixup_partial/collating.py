"""Mixing of samples."""

import torch
from torch.utils.data import default_collate


def mixup_collate(batch, lam):
    x, y = default_collate(batch)
    order = torch.arange(len(x) - 1, -1, -1)
    x = lam * x + (1 - lam) * x[order]
    y = lam * y + (1 - lam) * y[order]  # guilty
    return x, y
