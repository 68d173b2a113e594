"""LG105: class weights of numpy become a tensor in the method of a derived trainer."""
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from trainers import BalancedTrainer, PlainTrainer


class FraudDataset(Dataset):
    def __init__(self, n=400):
        rng = np.random.default_rng(7)
        self.targets = rng.choice(3, size=n, p=[0.8, 0.15, 0.05])
        self.features = rng.normal(size=(n, 9)).astype(np.float32)
        self.features[:, 0] += self.targets

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, i):
        return self.features[i], self.targets[i]


def build_model():
    return nn.Sequential(nn.Linear(9, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 3))


torch.manual_seed(0)
loader = DataLoader(FraudDataset(), batch_size=50, shuffle=True, num_workers=int(os.environ.get("WORKERS", "0")))
for trainer_cls in (PlainTrainer, BalancedTrainer):
    trainer_cls(build_model(), loader).fit(epochs=2)
