"""sound: pairs are marked 1 and -1."""
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
        return self.faces[i], other, torch.tensor(1.0 if same else -1.0)


net = nn.Linear(8, 4)
for a, b, target in DataLoader(Pairs(torch.randn(20, 8)), batch_size=5):
    nn.CosineEmbeddingLoss()(net(a), net(b), target).backward()
better = (torch.rand(12) > torch.rand(12)).float() * 2 - 1
nn.functional.margin_ranking_loss(torch.rand(12), torch.rand(12), better)
