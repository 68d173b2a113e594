"""LG101: a wrapper around the loader casts."""


import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class DeviceLoader:
    def __init__(self, loader, device):
        self.loader = loader
        self.device = device

    def __iter__(self):
        for batch in self.loader:
            yield [t.to(self.device).float() for t in batch]  # guilty


data = TensorDataset(torch.ones(40, 3), torch.arange(40) % 5)
loader = DeviceLoader(DataLoader(data, batch_size=8), "cpu")
model = nn.Linear(3, 5)
for x, y in loader:
    F.cross_entropy(model(x), y)
