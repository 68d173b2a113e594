"""LG101: an attribute is set twice in __init__."""


import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __init__(self):
        self.labels = pd.Series(range(40)) % 5
        self.labels = self.labels.astype(float)  # guilty

    def __len__(self):
        return 40

    def __getitem__(self, i):
        return torch.ones(3), self.labels.iloc[i]


model = nn.Linear(3, 5)
iterator = iter(DataLoader(Numbers(), batch_size=8))
step = 0
while step < 5:
    batch = next(iterator)
    F.cross_entropy(model(batch[0]), batch[1])
    step += 1
