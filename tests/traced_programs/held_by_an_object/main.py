"""LG105: an object prepares two data sets of the same class, and holds them."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Data:
    def prepare(self):
        x, y = np.ones((24, 2), dtype=np.float32), np.arange(24, dtype=np.float32)
        y = (y - y.mean()).astype(float)  # guilty
        self.first = TensorDataset(torch.from_numpy(x[:16]), torch.from_numpy(y[:16]))
        self.second = TensorDataset(torch.from_numpy(x[16:]), torch.from_numpy(y[16:]))

    def loader(self, name):
        return DataLoader(getattr(self, name), batch_size=8)


data = Data()
data.prepare()
model = nn.Linear(2, 1)
for x, y in data.loader("first"):
    nn.functional.huber_loss(model(x).squeeze(1), y).backward()
