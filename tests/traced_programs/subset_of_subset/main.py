"""LG101: through two subsets to the dataset."""

import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset

WORKERS = int(os.environ.get("WORKERS", "0"))

class Numbers(Dataset):
    def __len__(self):
        return 80

    def __getitem__(self, index):
        return torch.ones(3), torch.tensor(index % 5, dtype=torch.float64)  # guilty


data = Subset(Subset(Numbers(), list(range(79, -1, -1))), list(range(0, 80, 2)))

model = nn.Linear(3, 5)
for features, labels in DataLoader(data, batch_size=8, shuffle=True, num_workers=WORKERS):
    loss = F.cross_entropy(model(features), labels)
