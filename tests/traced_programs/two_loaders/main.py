"""LG101: two loaders are zipped; the second is at fault."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

WORKERS = int(os.environ.get("WORKERS", "0"))

class B(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        return torch.ones(3), float(i % 5)  # guilty


a = DataLoader(TensorDataset(torch.ones(40, 3), torch.arange(40) % 5), batch_size=4)
b = DataLoader(B(), batch_size=4, num_workers=WORKERS)
model = nn.Linear(3, 5)
for (xa, ya), (xb, yb) in zip(a, b):
    x = torch.cat([xa, xb])
    y = torch.cat([ya, yb])
    F.cross_entropy(model(x), y)
