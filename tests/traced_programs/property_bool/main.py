"""LG104: a comparison of whole numbers goes to a binary loss."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class D(Dataset):
    def __init__(self):
        g = torch.Generator().manual_seed(0)
        self.scores = torch.randint(0, 10, (30, 3), generator=g)
        self.x = torch.randn(30, 4, generator=g)

    def __len__(self):
        return 30

    def __getitem__(self, i):
        hot = self.scores[i] > 5  # guilty
        return self.x[i], hot


net = nn.Linear(4, 3)
for x, y in DataLoader(D(), batch_size=10):
    nn.functional.binary_cross_entropy_with_logits(net(x), y).backward()
