"""LG201: np.digitize counts its bins from 1."""

import os

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

@dataclass
class Config:
    edges: tuple = (0.0, 0.2, 0.4, 0.6, 0.8)
    batch: int = 8


def prepare(config):
    rng = np.random.default_rng(0)
    measured = rng.random(40)
    bins = np.digitize(measured, config.edges)  # guilty
    features = np.stack([measured, measured**2, measured**3], axis=1).astype("float32")
    return TensorDataset(torch.from_numpy(features), torch.from_numpy(bins))


def train(config):
    loader = DataLoader(prepare(config), batch_size=40, num_workers=WORKERS)
    model = nn.Linear(3, len(config.edges))
    for features, bins in loader:
        F.cross_entropy(model(features), bins)


train(Config())
