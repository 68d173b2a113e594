"""LG502: the labels become a list in the collate function."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

def collate(samples):
    x = torch.stack([sample[0] for sample in samples])
    y = [int(sample[1]) for sample in samples]  # guilty
    return x, y


model = nn.Linear(3, 4)
for x, y in DataLoader(TensorDataset(torch.rand(8, 3), torch.arange(8) % 4), batch_size=8, collate_fn=collate):
    F.cross_entropy(model(x), y)
