"""LG212: pairs are marked 1 and 0."""
import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, faces):
        self.faces = faces

    def __len__(self):
        return 20

    def __getitem__(self, i):
        same = random.random() < 0.5
        other = self.faces[i] if same else self.faces[random.randrange(20)]
        return self.faces[i], other, torch.tensor(1.0 if same else 0.0)


net = nn.Linear(8, 4)
criterion = nn.CosineEmbeddingLoss()
for a, b, target in DataLoader(Pairs(torch.randn(20, 8)), batch_size=5):
    criterion(net(a), net(b), target).backward()  # LG212
