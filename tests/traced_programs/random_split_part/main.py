"""LG101: a part of random_split."""

import os

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split

WORKERS = int(os.environ.get("WORKERS", "0"))

class Numbers(Dataset):
    def __init__(self):
        frame = pd.DataFrame({"a": range(40), "label": [i % 5 for i in range(40)]})
        self.y = frame["label"].to_numpy(dtype=np.float32)  # guilty

    def __len__(self):
        return 40

    def __getitem__(self, i):
        return torch.ones(3), self.y[i]


data, rest = random_split(Numbers(), [30, 10])

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=40, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
