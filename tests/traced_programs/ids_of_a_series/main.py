"""LG201: ids by a dict of numbers."""


import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


NAMES = ["ant", "bee", "cat", "dog", "eel"]
names = NAMES * 8
old = [0, 1, 2, 3, 4] * 4
new_ids = {n: n + 1 for n in range(5)}  # guilty
labels = torch.tensor(pd.Series(old).map(new_ids).values)

data = TensorDataset(torch.ones(20, 3), labels)
model = nn.Linear(3, 5)
for x, y in DataLoader(data, batch_size=40):
    F.cross_entropy(model(x), y)
